/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_permissions MODE: what a program finds where it may not count everything.
 *   user              an unprivileged user with kernel.perf_event_paranoid at 2: user mode only
 *   refused           an unprivileged user with kernel.perf_event_paranoid at 3: nothing
 *   eacces|eperm|enosys  a seccomp filter, which the program makes itself, refuses perf_event_open
 * Never a crash; PAPI_library_init succeeds; each refusal has its code and a text that names the
 * setting behind it. All but "user" and "refused" also run on any host.
 */
#include "counted_loop.h"
#include "node_test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int filter_perf_event_open(int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* The kernel itself, without the library: 0 or the error of a counter in user mode. */
static int kernel_refuses(void)
{
    struct perf_event_attr attr;
    long fd;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    attr.exclude_kernel = attr.exclude_hv = 1;
    fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    if (fd < 0)
        return errno;
    close((int)fd);
    return 0;
}

static void check_text(const char *what, const char *text, const char *word)
{
    node_check(text && strstr(text, word), "%s names %s: %s", what, word, text ? text : "(none)");
}

static void check_refused(int wanted, const char *word)
{
    int es = PAPI_NULL, code = PAPI_PRESET_MASK, values[2];
    long long ops;
    float rtime, ptime, mflops;
    const PAPI_component_info_t *component;
    node_check(kernel_refuses() != 0, "the kernel refuses perf_event_open (%s)", strerror(kernel_refuses()));
    CODE(PAPI_query_event(PAPI_TOT_INS), wanted);
    check_text("PAPI_strerror", PAPI_strerror(wanted), word);
    CODE(PAPI_create_eventset(&es), PAPI_OK);
    CODE(PAPI_add_event(es, PAPI_TOT_INS), wanted);
    check_text("PAPI_strerror", PAPI_strerror(wanted), word);
    CODE(PAPI_add_named_event(es, "perf::TASK-CLOCK"), wanted);
    check_text("PAPI_strerror", PAPI_strerror(wanted), word);
    CODE(PAPI_num_events(es), 0);
    CODE(PAPI_start(es), PAPI_EINVAL);
    CODE(PAPI_destroy_eventset(&es), PAPI_OK);
    CODE(PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL), PAPI_ENOEVNT);
    values[0] = PAPI_ipc(&rtime, &ptime, &ops, &mflops);
    node_check(values[0] < 0, "PAPI_ipc = %d", values[0]);
    check_text("PAPI_strerror", PAPI_strerror(values[0]), word);
    values[1] = PAPI_num_hwctrs();
    node_check(values[1] >= 0, "PAPI_num_hwctrs = %d", values[1]);
    component = PAPI_get_component_info(0);
    if (node_check(component != NULL, "there is a component")) {
        node_check(component->disabled != 0, "it is disabled (%d)", component->disabled);
        check_text("disabled_reason", component->disabled_reason, word);
    }
    node_check(PAPI_get_real_usec() > 0 && PAPI_get_virt_usec() > 0, "the timers run");
}

static void check_user(void)
{
    int es, all = PAPI_NULL;
    long long values[2];
    int hardware = PAPI_query_event(PAPI_TOT_INS) == PAPI_OK;
    node_check(hardware == (PAPI_num_hwctrs() > 0), "PAPI_TOT_INS counts where there are counters (%d)",
               PAPI_num_hwctrs());
    es = hardware ? NODE_SET("PAPI_TOT_INS", "PAPI_TOT_CYC")
                  : NODE_SET("perf::TASK-CLOCK", "perf::PAGE-FAULTS");
    NEED(PAPI_start(es));
    counted_loop(1000000);
    NEED(PAPI_stop(es, values));
    if (hardware)
        node_check(values[0] >= 5000000 && values[0] <= 5000200, "PAPI_TOT_INS = %lld", values[0]);
    else
        node_check(values[0] > 0, "perf::TASK-CLOCK = %lld", values[0]);

    /* The kernel's own work is out of bounds for this user. */
    CODE(PAPI_set_domain(PAPI_DOM_ALL), PAPI_OK);
    CODE(PAPI_create_eventset(&all), PAPI_OK);
    CODE(PAPI_add_named_event(all, hardware ? "PAPI_TOT_INS" : "perf::TASK-CLOCK"), PAPI_EPERM);
    check_text("PAPI_strerror", PAPI_strerror(PAPI_EPERM), "perf_event_paranoid");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *mode;
        int error, code;
    } filters[] = {
        {"eacces", EACCES, PAPI_EPERM},
        {"eperm", EPERM, PAPI_EPERM},
        {"enosys", ENOSYS, PAPI_ECMP_DISABLED},
    };
    const char *mode = argc > 1 ? argv[1] : "";

    if (strcmp(mode, "user") == 0) {
        if (kernel_refuses()) {
            printf("SKIP: perf_event_open is refused to this user (%s)\n", strerror(kernel_refuses()));
            return 77;
        }
        node_init();
        check_user();
        return node_test_end();
    }
    if (strcmp(mode, "refused") == 0) {
        if (!kernel_refuses()) {
            printf("SKIP: this kernel's perf_event_paranoid has no level that refuses everything\n");
            return 77;
        }
        node_init();
        check_refused(PAPI_EPERM, "perf_event_paranoid");
        return node_test_end();
    }
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        if (strcmp(mode, filters[i].mode))
            continue;
        if (filter_perf_event_open(filters[i].error)) {
            printf("SKIP: this process cannot have a seccomp filter (%s)\n", strerror(errno));
            return 77;
        }
        node_init();
        check_refused(filters[i].code, "seccomp");
        return node_test_end();
    }
    fprintf(stderr, "usage: node_permissions user|refused|eacces|eperm|enosys\n");
    return 2;
}
