// SPDX-License-Identifier: BSD-3-Clause
//
// All ways out of and into code: each case counts what analysis says, whoever leaves whom. Work of n turns is 2 n
// operations in double precision, in a chain that no compiler shortens.
//
//   ways CASE...
extern "C" {
#include "counts.h"
}
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace {

const int dp_ops = 15; // COUNTED_DP_OPS, counted in events.def
volatile double sink;
int failures;

__attribute__((noinline)) void work(long n)
{
    double value = sink;
    for (long i = 0; i < n; i++)
        value = value * 0.5 + 1;
    sink = value;
}

uint64_t operations()
{
    uint64_t count[COUNTS];
    if (counts_read(count) == 0) {
        std::puts("no module is counted");
        std::exit(1);
    }
    return count[dp_ops];
}

void expect(const char *what, uint64_t got, uint64_t wanted)
{
    if (got == wanted)
        return;
    std::printf("%s: %llu operations, not %llu\n", what, static_cast<unsigned long long>(got),
                static_cast<unsigned long long>(wanted));
    failures++;
}

// ---- exceptions

struct on_exit {
    ~on_exit()
    {
        work(1);
    }
};

__attribute__((noinline)) void thrower(int depth, int turn)
{
    on_exit guard;
    work(2);
    if (depth == 0 && turn % 3 == 0)
        throw std::runtime_error("thrown");
    if (depth == 0 && turn % 3 == 1)
        throw turn;
    if (depth > 0)
        thrower(depth - 1, turn);
    work(4);
}

// 2 before and 1 at the end of each of four depths, and 4 where it returns.
void exceptions()
{
    uint64_t begin = operations(), turns = 0;
    for (int i = 0; i < 10000; i++) {
        turns += 4 * 3;
        try {
            thrower(3, i);
            turns += 4 * 4;
        } catch (const std::runtime_error &) {
            work(8);
            turns += 8;
        } catch (int) {
            work(16);
            turns += 16;
        }
    }
    expect("exceptions", operations() - begin, 2 * turns);
}

// ---- jumps out of nested calls

std::jmp_buf place;

__attribute__((noinline)) void jumper(int depth)
{
    work(2);
    if (depth == 0)
        std::longjmp(place, 1);
    jumper(depth - 1);
    work(1000);
}

void jumps()
{
    uint64_t begin = operations();
    for (volatile int i = 0; i < 10000; i = i + 1)
        if (setjmp(place) == 0)
            jumper(4);
    expect("jumps", operations() - begin, 2 * 10000 * 5 * 2);
}

// ---- contexts

ucontext_t main_context, other_context;

void other()
{
    for (;;) {
        work(3);
        swapcontext(&other_context, &main_context);
        work(5);
    }
}

void contexts()
{
    static char stack[1 << 16];
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = sizeof stack;
    makecontext(&other_context, other, 0);
    uint64_t begin = operations();
    for (int i = 0; i < 1000; i++) {
        work(1);
        swapcontext(&main_context, &other_context);
    }
    expect("contexts", operations() - begin, 2 * (1000 * 1 + 1000 * 3 + 999 * 5));
}

// ---- threads

void threads()
{
    std::vector<std::thread> all;
    uint64_t each[4] = {}, begin = operations();
    for (int i = 0; i < 4; i++)
        all.emplace_back([i, &each] {
            uint64_t start = operations();
            for (int turn = 0; turn < 100; turn++)
                work(1000 * (i + 1));
            each[i] = operations() - start;
        });
    for (auto &thread : all)
        thread.join();
    for (int i = 0; i < 4; i++)
        expect("thread", each[i], 2 * 100 * 1000 * (i + 1));
    expect("main thread", operations() - begin, 0);
}

// ---- processes

void forks()
{
    uint64_t begin = operations();
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            uint64_t start = operations();
            work(100);
            _exit(operations() - start == 200 ? 0 : 1);
        }
        int status;
        waitpid(child, &status, 0);
        expect("child's status", static_cast<uint64_t>(status), 0);
        work(10);
    }
    expect("parent", operations() - begin, 2 * 5 * 10);
}

// ---- signals whose handler runs what they interrupt

volatile sig_atomic_t handled;

void handler(int)
{
    work(7);
    handled = handled + 1;
}

void signals()
{
    struct sigaction action = {};
    action.sa_handler = handler;
    sigaction(SIGVTALRM, &action, nullptr);
    const itimerval often = {{0, 1000}, {0, 1000}}, never = {};
    uint64_t begin = operations(), turns = 0;
    setitimer(ITIMER_VIRTUAL, &often, nullptr);
    for (; handled < 30; turns += 50000)
        work(50000);
    setitimer(ITIMER_VIRTUAL, &never, nullptr);
    uint64_t end = operations();
    expect("signals", end - begin, 2 * (turns + 7 * static_cast<uint64_t>(handled)));
}

// ---- another program in the place of this one

void executes()
{
    uint64_t begin = operations();
    work(10);
    pid_t child = fork();
    if (child == 0) {
        work(20);
        execl("/proc/self/exe", "ways", "executed", nullptr);
        _exit(2);
    }
    int status;
    waitpid(child, &status, 0);
    expect("executed program's status", static_cast<uint64_t>(status), 0);
    expect("program that executes", operations() - begin, 2 * 10);
}

void executed()
{
    expect("before it works", operations(), 0);
    work(50);
    expect("executed program", operations(), 2 * 50);
}

// ---- a shared library, loaded while the program runs

void library(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW);
    if (handle == nullptr) {
        std::printf("%s\n", dlerror());
        failures++;
        return;
    }
    auto run = reinterpret_cast<void (*)(long)>(dlsym(handle, "library_work"));
    uint64_t begin = operations();
    for (int i = 0; i < 10; i++)
        run(100);
    expect("library", operations() - begin, 2 * 10 * 100);
    dlclose(handle);
    expect("library that was closed", operations() - begin, 2 * 10 * 100);
}

} // namespace

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "exceptions") == 0)
            exceptions();
        else if (std::strcmp(argv[i], "jumps") == 0)
            jumps();
        else if (std::strcmp(argv[i], "contexts") == 0)
            contexts();
        else if (std::strcmp(argv[i], "threads") == 0)
            threads();
        else if (std::strcmp(argv[i], "forks") == 0)
            forks();
        else if (std::strcmp(argv[i], "signals") == 0)
            signals();
        else if (std::strcmp(argv[i], "executes") == 0)
            executes();
        else if (std::strcmp(argv[i], "executed") == 0)
            executed();
        else
            library(argv[i]);
    }
    return failures == 0 ? 0 : 1;
}
