/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of the process, the program and its libraries, against what this program does itself.
 */
#include "testing.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEBI (1024L * 1024)
/* Kilobytes: what the kernel has not added up yet (up to 64 pages a CPU), and what printing maps. */
#define SLACK 4096

/* ---- memory */

static PAPI_dmem_info_t memory(void)
{
    PAPI_dmem_info_t info;
    memset(&info, 0x55, sizeof info);
    OK(PAPI_get_dmem_info(&info));
    return info;
}

/* An emulator's memory and maps are what the kernel shows, not the program's. */
static void need_own_memory(void)
{
    char name[32] = "";
    FILE *file = fopen("/proc/self/comm", "r");
    CHECK(file != NULL && fgets(name, sizeof name, file) != NULL && fclose(file) == 0);
    if (strncmp(name, "qemu-", 5) == 0)
        SKIP("the kernel shows the emulator's memory");
}

static char *map(long bytes, int flags)
{
    char *pages = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    return pages;
}

static void touch(char *pages, long bytes)
{
    for (long i = 0; i < bytes; i += 4096)
        ((volatile char *)pages)[i] = 1;
}

static void near(long long got, long long wanted)
{
    CHECK(got >= wanted - SLACK);
    CHECK(got <= wanted + SLACK);
}

static void every_field_is_known(void **state)
{
    PAPI_dmem_info_t info;
    (void)state;
    test_init();
    info = memory();
    CHECK(info.resident > 0 && info.size > info.resident);
    CHECK(info.peak >= info.size && info.high_water_mark >= info.resident);
    CHECK(info.shared >= 0 && info.shared <= info.resident + SLACK);
    CHECK(info.text > 0 && info.library > 0 && info.heap > 0 && info.stack > 0 && info.pte > 0);
    CHECK(info.locked >= 0);
    EQUAL(info.pagesize, sysconf(_SC_PAGESIZE));
}

static void touched_pages_become_resident(void **state)
{
    PAPI_dmem_info_t before, mapped, touched, gone;
    char *pages;
    (void)state;
    need_own_memory();
    test_init();
    before = memory();
    pages = map(64 * MEBI, MAP_PRIVATE);
    mapped = memory();
    near(mapped.size - before.size, 65536);
    near(mapped.heap - before.heap, 65536);
    near(mapped.resident - before.resident, 0);
    touch(pages, 64 * MEBI);
    touched = memory();
    near(touched.size - before.size, 65536);
    near(touched.resident - before.resident, 65536);
    near(touched.shared - before.shared, 0);
    CHECK(touched.peak >= touched.size && touched.peak >= before.size + 65536);
    CHECK(touched.high_water_mark >= touched.resident);
    CHECK(touched.pte >= before.pte + 100); /* 8 bytes a page, where the pages are not huge */
    munmap(pages, 64 * MEBI);
    gone = memory();
    near(gone.size - before.size, 0);
    near(gone.resident - before.resident, 0);
    /* The maxima keep the values from before the unmapping. */
    CHECK(gone.peak >= touched.peak && gone.high_water_mark >= touched.resident - SLACK);
}

static void shared_pages_are_told_apart(void **state)
{
    PAPI_dmem_info_t before, after;
    char *pages;
    (void)state;
    test_init();
    before = memory();
    pages = map(16 * MEBI, MAP_SHARED);
    touch(pages, 16 * MEBI);
    after = memory();
    munmap(pages, 16 * MEBI);
    near(after.shared - before.shared, 16384);
    near(after.resident - before.resident, 16384);
    near(after.heap - before.heap, 0);
}

static void locked_pages_are_counted(void **state)
{
    PAPI_dmem_info_t before, locked, unlocked;
    long page = sysconf(_SC_PAGESIZE);
    char *pages;
    (void)state;
    test_init();
    pages = map(8 * page, MAP_PRIVATE);
    before = memory();
    /* The address sanitizer makes nothing of libc's function. */
    if (syscall(SYS_mlock, pages, 8 * page) != 0)
        SKIP("this user may not lock 8 pages: %s", strerror(errno));
    locked = memory();
    syscall(SYS_munlock, pages, 8 * page);
    unlocked = memory();
    munmap(pages, (size_t)(8 * page));
    EQUAL(locked.locked - before.locked, 8 * page / 1024);
    EQUAL(unlocked.locked, before.locked);
}

/* Touches a stack of so many frames, each small enough that valgrind does not take it for a change of
 * stacks. */
static __attribute__((noinline)) long long deep_stack(int frames)
{
    char frame[MEBI / 2];
    touch(frame, sizeof frame);
    return (frames > 1 ? deep_stack(frames - 1) : memory().stack) + (frame[0] & 2);
}

/* valgrind has the program run on a stack that it made itself. */
static int is_the_kernels_stack(const void *address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[PATH_MAX + 100];
    unsigned long start, end;
    int found = 0;
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL)
        if (strstr(line, "[stack]") != NULL && sscanf(line, "%lx-%lx", &start, &end) == 2)
            found = (unsigned long)address >= start && (unsigned long)address < end;
    fclose(maps);
    return found;
}

static void stack_grows(void **state)
{
    (void)state;
    need_own_memory();
    test_init();
    if (!is_the_kernels_stack(__builtin_frame_address(0)))
        SKIP("the program runs on another stack than the kernel's");
    CHECK(deep_stack(4) >= 2048);
}

/* Asks for the memory after the first thread has ended, when the process has none under /proc/self. */
static void *outlive(void *argument)
{
    pthread_join(*(pthread_t *)argument, NULL);
    CHECK(memory().resident > 0);
    fflush(NULL);
    /* Ends by exec, not by exit: to a leak checker, what the first thread's stack pointed to is lost. */
    execlp("true", "true", (char *)NULL);
    return NULL;
}

static void end_the_first_thread(void *argument)
{
    static pthread_t self;
    pthread_t other;
    (void)argument;
    test_init();
    self = pthread_self();
    EQUAL(pthread_create(&other, NULL, outlive, &self), 0);
    pthread_detach(other);
    pthread_exit(NULL);
}

static void memory_without_the_first_thread(void **state)
{
    (void)state;
    PAPI_shutdown();
    test_in_child(end_the_first_thread, NULL);
}

/* ---- another machine's files */

static char root[] = "/tmp/test_process.XXXXXX";

static void without_proc(void *argument)
{
    PAPI_dmem_info_t info = {.size = 7};
    const PAPI_exe_info_t *program;
    (void)argument;
    setenv("PAPI_SYSROOT", root, 1);
    test_init();
    errno = 0;
    CODE(PAPI_get_dmem_info(&info), PAPI_ESYS);
    EQUAL(errno, ENOENT);
    EQUAL(info.size, 7);
    CHECK(strstr(PAPI_strerror(PAPI_ESYS), "/proc") != NULL);
    /* The name comes from the loader then, the addresses always do. */
    program = PAPI_get_executable_info();
    CHECK(program != NULL && strcmp(program->address_info.name, "test_process") == 0);
    CHECK(program->fullname[0] == '/');
    PAPI_shutdown();
}

static void put(const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *out;
    snprintf(path, sizeof path, "%s%s", root, name);
    out = fopen(path, "w");
    CHECK(out != NULL);
    fputs(text, out);
    fclose(out);
}

static void with_some_lines(void *argument)
{
    PAPI_dmem_info_t info;
    (void)argument;
    setenv("PAPI_SYSROOT", root, 1);
    test_init();
    put("/proc/self/status", "Name:\tx\nVmSize:\t    1234 kB\nVmRSS:\t 99 kB\nVmLck:\tmuch\nRssFile:\t12 kB\n"
                             "RssShmem:\t 30 kB\nVmExe: \n");
    info = memory();
    EQUAL(info.size, 1234);
    EQUAL(info.resident, 99);
    EQUAL(info.shared, 42);
    EQUAL(info.peak, PAPI_EINVAL);
    EQUAL(info.high_water_mark, PAPI_EINVAL);
    EQUAL(info.text, PAPI_EINVAL);
    EQUAL(info.library, PAPI_EINVAL);
    EQUAL(info.heap, PAPI_EINVAL);
    EQUAL(info.locked, PAPI_EINVAL);
    EQUAL(info.stack, PAPI_EINVAL);
    EQUAL(info.pte, PAPI_EINVAL);
    EQUAL(info.pagesize, sysconf(_SC_PAGESIZE));
    put("/proc/self/status", "VmSize: 1 kB\n");
    put("/proc/self/statm", "10 9 3 4 0 5 0\n"); /* of a kernel that does not split the shared pages */
    EQUAL(memory().shared, 3 * sysconf(_SC_PAGESIZE) / 1024);
    put("/proc/self/status", "Name:\tx\n");
    CODE(PAPI_get_dmem_info(&info), PAPI_ESYS);
    EQUAL(errno, ENODATA);
    PAPI_shutdown();
}

static void files_that_lack(void **state)
{
    char path[PATH_MAX];
    (void)state;
    PAPI_shutdown();
    CHECK(mkdtemp(root) != NULL);
    test_in_child(without_proc, NULL);
    snprintf(path, sizeof path, "%s/proc", root);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/proc/self", root);
    mkdir(path, 0700);
    test_in_child(with_some_lines, NULL);
    snprintf(path, sizeof path, "rm -r %s", root);
    EQUAL(system(path), 0);
}

/* ---- the program */

static int initialised = 17;
static int zeroes[100000];

static int inside(const void *address, const void *start, const void *end)
{
    return (const char *)address >= (const char *)start && (const char *)address < (const char *)end;
}

static void the_program(void **state)
{
    const PAPI_exe_info_t *info;
    const PAPI_address_map_t *map_;
    PAPI_option_t option;
    char path[PATH_MAX];
    (void)state;
    test_init();
    info = PAPI_get_executable_info();
    CHECK(info != NULL);
    map_ = &info->address_info;
    CHECK(realpath("/proc/self/exe", path) != NULL);
    EQUAL(strcmp(info->fullname, path), 0);
    EQUAL(strcmp(map_->name, "test_process"), 0);
    CHECK(inside((void *)(uintptr_t)the_program, map_->text_start, map_->text_end));
    CHECK(inside((void *)(uintptr_t)test_init, map_->text_start, map_->text_end));
    CHECK(!inside((void *)(uintptr_t)dlsym(RTLD_NEXT, "qsort"), map_->text_start, map_->text_end));
    CHECK(inside(&initialised, map_->data_start, map_->data_end));
    CHECK(inside(zeroes, map_->bss_start, map_->bss_end));
    CHECK(inside(&zeroes[99999], map_->bss_start, map_->bss_end));
    CHECK(map_->bss_start == map_->data_end);
    CHECK(PAPI_get_executable_info() == info);
    OK(PAPI_get_opt(PAPI_EXEINFO, &option));
    CHECK(option.exe_info == info);
}

/* The program's text is a region for a profile, in which the samples are. */
static void profile_of_the_program(void **state)
{
    const PAPI_address_map_t *map_;
    unsigned short *buckets;
    unsigned size;
    long samples = 0;
    int es, code;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    if (test_under_valgrind())
        SKIP("the code that runs is valgrind's translation");
    map_ = &PAPI_get_executable_info()->address_info;
    size = (unsigned)((char *)map_->text_end - (char *)map_->text_start);
    buckets = calloc(size / 2 + 1, 2);
    es = test_set(CLOCK, NULL);
    code = PAPI_profil(buckets, size / 2 * 2, map_->text_start, 65536, es, test_code_of(CLOCK), 1000000,
                       PAPI_PROFIL_POSIX);
    if (code == PAPI_ENOSUPP) {
        free(buckets);
        SKIP("%s", PAPI_strerror(code));
    }
    OK(code);
    OK(PAPI_start(es));
    for (volatile int i = 0; i < 200000000; i++)
        ;
    OK(PAPI_stop(es, NULL));
    for (unsigned i = 0; i < size / 2; i++)
        samples += buckets[i];
    CHECK(samples >= 20);
    test_drop(es);
    free(buckets);
}

/* ---- libraries */

static const PAPI_address_map_t *find(const PAPI_shlib_info_t *info, const void *code)
{
    for (int i = 0; i < info->count; i++)
        if (inside(code, info->map[i].text_start, info->map[i].text_end))
            return &info->map[i];
    return NULL;
}

/* Every file with code that is mapped, as the kernel lists them, but the program itself. */
static void libraries_are_those_mapped(void **state)
{
    const PAPI_shlib_info_t *info;
    const PAPI_exe_info_t *program;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[PATH_MAX + 100], path[PATH_MAX], mode[8];
    unsigned long start, end;
    int found = 0;
    (void)state;
    test_init();
    CHECK(maps != NULL);
    info = PAPI_get_shared_lib_info();
    program = PAPI_get_executable_info();
    CHECK(info != NULL && program != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095s", &start, &end, mode, path) != 4 || mode[2] != 'x' ||
            path[0] != '/' || strcmp(path, program->fullname) == 0 || strstr(path, "/valgrind/") != NULL)
            continue;
        CHECK(find(info, (void *)start) != NULL);
        found++;
    }
    fclose(maps);
    CHECK(found >= 2);
    for (int i = 0; i < info->count; i++) {
        const PAPI_address_map_t *map_ = &info->map[i];

        CHECK(map_->text_start < map_->text_end && map_->data_start <= map_->data_end &&
              map_->bss_start <= map_->bss_end);
        CHECK(access(map_->name, R_OK) == 0); /* the vdso is not among them */
        CHECK(!inside((void *)(uintptr_t)the_program, map_->text_start, map_->text_end));
    }
    CHECK(find(info, (void *)(uintptr_t)dlsym(RTLD_DEFAULT, "qsort")) != NULL);
    CHECK(find(info, (void *)(uintptr_t)dlsym(RTLD_DEFAULT, "PAPI_read")) != NULL);
}

static void *open_library(void)
{
    void *handle = dlopen(LOADED_LIBRARY, RTLD_NOW);
    if (handle == NULL)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(handle != NULL);
    return handle;
}

static void libraries_come_and_go(void **state)
{
    const PAPI_shlib_info_t *before, *with;
    const PAPI_address_map_t *found;
    PAPI_address_map_t *copy;
    long long code_before, code_with;
    PAPI_option_t option;
    void *handle, *function;
    Dl_info said;
    int count;
    (void)state;
    need_own_memory();
    test_init();
    before = PAPI_get_shared_lib_info();
    code_before = memory().library;
    count = before->count;
    copy = malloc((size_t)count * sizeof *copy);
    memcpy(copy, before->map, (size_t)count * sizeof *copy);
    CHECK(PAPI_get_shared_lib_info() == before);
    handle = open_library();
    function = dlsym(handle, "loaded_function");
    CHECK(dladdr(function, &said) != 0);
    CHECK(find(before, function) == NULL);
    with = PAPI_get_shared_lib_info();
    code_with = memory().library;
    EQUAL(with->count, count + 1);
    CHECK(code_with >= code_before + 1024);
    found = find(with, function);
    CHECK(found != NULL);
    EQUAL(strcmp(found->name, said.dli_fname), 0);
    CHECK((char *)found->text_end - (char *)found->text_start >= MEBI);
    CHECK(inside(dlsym(handle, "loaded_data"), found->data_start, found->data_end));
    CHECK(inside(dlsym(handle, "loaded_bss"), found->bss_start, found->bss_end));
    CHECK(PAPI_get_shared_lib_info() == with);
    OK(PAPI_get_opt(PAPI_SHLIBINFO, &option));
    CHECK(option.shlib_info == with);
    dlclose(handle);
    CHECK(PAPI_get_shared_lib_info() == before); /* the same libraries, the same list */
    /* Lists that earlier calls returned are unchanged. */
    EQUAL(before->count, count);
    EQUAL(memcmp(copy, before->map, (size_t)count * sizeof *copy), 0);
    EQUAL(with->count, count + 1);
    EQUAL(strstr(found->name, "loaded_library") != NULL, 1);
    free(copy);
}

static atomic_int loaders_left;

static void *load_and_unload(void *argument)
{
    (void)argument;
    for (int i = 0; i < 200; i++)
        dlclose(open_library());
    atomic_fetch_sub(&loaders_left, 1);
    return NULL;
}

static void *list_and_look(void *argument)
{
    int count = 0;
    (void)argument;
    do {
        const PAPI_shlib_info_t *info = PAPI_get_shared_lib_info();

        CHECK(info != NULL && info->count >= 2);
        count = 0;
        for (int i = 0; i < info->count; i++)
            count += info->map[i].name[0] == '/' && info->map[i].text_start < info->map[i].text_end;
        EQUAL(count, info->count);
        CHECK(PAPI_get_executable_info() != NULL);
    } while (atomic_load(&loaders_left) > 0);
    return NULL;
}

static void listing_beside_loading(void **state)
{
    pthread_t threads[4];
    (void)state;
    test_init();
    atomic_store(&loaders_left, 2);
    for (int i = 0; i < 4; i++)
        EQUAL(pthread_create(&threads[i], NULL, i < 2 ? load_and_unload : list_and_look, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* A thread in the loader's list, and one in the library, do not wait for each other. */
static int list_from_the_list(struct dl_phdr_info *object, size_t size, void *calls)
{
    (void)object, (void)size;
    CHECK(PAPI_get_shared_lib_info() != NULL);
    CHECK(PAPI_get_hardware_info() != NULL);
    ++*(int *)calls;
    return 0;
}

static void *walk_the_list(void *argument)
{
    int calls = 0;
    for (int i = 0; i < 50; i++)
        dl_iterate_phdr(list_from_the_list, &calls);
    CHECK(calls >= 100);
    atomic_fetch_sub(&loaders_left, 1);
    return argument;
}

static void listing_inside_the_loaders_list(void **state)
{
    pthread_t threads[4];
    (void)state;
    test_init();
    CHECK(PAPI_get_hardware_info() != NULL); /* loads hwloc, which nothing may inside */
    atomic_store(&loaders_left, 2);
    for (int i = 0; i < 4; i++)
        EQUAL(pthread_create(&threads[i], NULL, i < 2 ? walk_the_list : list_and_look, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void preload(void **state)
{
    PAPI_option_t option;
    (void)state;
    test_init();
    memset(&option, 'x', sizeof option);
    OK(PAPI_get_opt(PAPI_PRELOAD, &option));
    EQUAL(strcmp(option.preload.lib_preload_env, "LD_PRELOAD"), 0);
    EQUAL(option.preload.lib_preload_sep, ' ');
    EQUAL(strcmp(option.preload.lib_dir_env, "LD_LIBRARY_PATH"), 0);
    EQUAL(option.preload.lib_dir_sep, ':');
}

/* A shutdown frees all of it, and the next life begins with new lists. */
static void lives(void **state)
{
    (void)state;
    for (int life = 0; life < 3; life++) {
        test_init();
        CHECK(PAPI_get_shared_lib_info()->count >= 2);
        CHECK(PAPI_get_executable_info()->address_info.text_end != NULL);
        PAPI_shutdown();
        CHECK(PAPI_get_shared_lib_info() == NULL && PAPI_get_executable_info() == NULL);
        CHECK(PAPI_get_substrate_info() == NULL);
        CHECK(strstr(PAPI_strerror(PAPI_ENOINIT), "PAPI_library_init") != NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_known),
        cmocka_unit_test(touched_pages_become_resident),
        cmocka_unit_test(shared_pages_are_told_apart),
        cmocka_unit_test(locked_pages_are_counted),
        cmocka_unit_test(stack_grows),
        cmocka_unit_test(memory_without_the_first_thread),
        cmocka_unit_test(files_that_lack),
        cmocka_unit_test(the_program),
        cmocka_unit_test(profile_of_the_program),
        cmocka_unit_test(libraries_are_those_mapped),
        cmocka_unit_test(libraries_come_and_go),
        cmocka_unit_test(listing_beside_loading),
        cmocka_unit_test(listing_inside_the_loaders_list),
        cmocka_unit_test(preload),
        cmocka_unit_test(lives),
    };

    zeroes[initialised] = 1;
    return TEST_RUN(tests);
}
