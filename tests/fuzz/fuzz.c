/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz.h"
#include "base/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void fuzz_fail(const char *file, int line, const char *what)
{
    dprintf(STDERR_FILENO, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

/* ---- texts */

void fuzz_visible(const char *text)
{
    for (int n; *text != '\0'; text += n) {
        n = utf8_length(text);
        REQUIRE(n > 0);
        REQUIRE(*text == '\n' || *text == '\t' || !utf8_is_hidden(utf8_code(text, n)));
    }
}

void fuzz_reason(const char *text)
{
    REQUIRE(text != NULL && text[0] != '\0');
    REQUIRE(strchr(text, '\n') == NULL);
    fuzz_visible(text);
}

int fuzz_in_all_ways;

int fuzz_way(const uint8_t *data, size_t size, int way, int n)
{
    unsigned sum = (unsigned)size;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + data[i];
    return fuzz_in_all_ways || (int)(sum % (unsigned)n) == way;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    REQUIRE(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

uint64_t fuzz_number(struct fuzz_bytes *bytes, int n)
{
    uint64_t number = 0;
    for (int i = 0; i < n && bytes->next < bytes->end; i++)
        number |= (uint64_t)*bytes->next++ << 8 * i;
    return number;
}

/* ---- files */

static struct {
    int fd;
    char path[32];
} file[FUZZ_FILES];

int fuzz_descriptor(int number)
{
    return file[number].fd;
}

const char *fuzz_file(int number, const void *data, size_t size)
{
    if (file[number].path[0] == '\0') {
        file[number].fd = memfd_create("fuzz", MFD_CLOEXEC);
        REQUIRE(file[number].fd >= 0);
        snprintf(file[number].path, sizeof file[number].path, "/proc/self/fd/%d", file[number].fd);
    }
    REQUIRE(ftruncate(file[number].fd, 0) == 0);
    REQUIRE(pwrite(file[number].fd, data, size, 0) == (ssize_t)size);
    return file[number].path;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind;
    if (walk->level > 0)
        remove(path);
    return 0;
}

void fuzz_clear(void)
{
    nftw(fuzz_folder(), remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
    fuzz_clear();
    rmdir(fuzz_folder());
}

const char *fuzz_folder(void)
{
    static char path[256];
    if (path[0] != '\0')
        return path;
    const char *above = getenv("FUZZ_FOLDER"); /* of run.sh, which removes what a crash leaves */
    snprintf(path, sizeof path, "%.200s/papi_fuzz.XXXXXX", above != NULL ? above : "/dev/shm");
    REQUIRE(mkdtemp(path) != NULL);
    atexit(remove_folder);
    return path;
}

void fuzz_put(const char *path, const void *data, size_t size)
{
    char full[1024];
    size_t top = (size_t)snprintf(full, sizeof full, "%s/%.700s", fuzz_folder(), path);
    for (char *slash = strchr(full + top - strlen(path), '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) /* a name too long, or a folder's */
        return;
    REQUIRE(write(fd, data, size) == (ssize_t)size);
    close(fd);
}

/* ---- standard error */

static struct {
    FILE *real, *own;
    char *text;
    size_t size;
} heard;

void fuzz_listen(void)
{
    heard.real = stderr;
    heard.own = open_memstream(&heard.text, &heard.size);
    REQUIRE(heard.own != NULL);
    stderr = heard.own;
}

char *fuzz_heard(void)
{
    stderr = heard.real;
    fclose(heard.own);
    return heard.text;
}
