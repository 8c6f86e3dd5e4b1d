/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi.hpp, in each version of C++ that it is for. */
#include <papi.hpp>

#include <array>
#include <cstdio>
#include <dirent.h>
#include <iostream>
#include <sys/mman.h>
#include <thread>

static int failed;
#define CHECK(what)                                                                                          \
    ((what) ? (void)0 : (void)(failed++, std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what)))

template <class Error, class Function> static bool throws(Function function)
{
    try {
        function();
    } catch (const Error &) {
        return true;
    }
    return false;
}

static constexpr long long PAGES = 1000;
static const char FAULTS[] = "perf::PAGE-FAULTS", CLOCK[] = "perf::TASK-CLOCK";

static void touch()
{
    char *memory = static_cast<char *>(
        mmap(nullptr, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(memory, PAGES * 4096, MADV_NOHUGEPAGE);
    for (int i = 0; i < PAGES; i++)
        memory[i * 4096] = 1;
    munmap(memory, PAGES * 4096);
}

static bool is_right(long long faults)
{
    return faults >= PAGES && faults < PAGES + 20;
}

static int descriptors()
{
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder) != nullptr)
        n++;
    closedir(folder);
    return n;
}

static void counting()
{
    papi::event_set events{FAULTS, CLOCK};
    auto counts = events.count(touch);
    CHECK(is_right(counts[FAULTS]) && counts[CLOCK] > 0 && counts[0] == counts[FAULTS]);
    CHECK(events.size() == 2 && events.names()[1] == CLOCK && !events.running());
    CHECK(throws<std::out_of_range>([&] { (void)counts["PAPI_TOT_INS"]; }));
    auto twice = counts;
    twice += counts;
    CHECK(twice[FAULTS] == 2 * counts[FAULTS]);
    CHECK(throws<std::invalid_argument>([&] { twice += papi::counts(); }));
    std::array<long long, 2> before{}, after{};
    events.start();
    events.read(before);
    touch();
    events.read(after);
    CHECK(is_right(after[0] - before[0]));
    CHECK(events.running());
    std::array<long long, 1> little{};
    CHECK(throws<papi::error>([&] { events.read(little); }));
    std::error_code code;
    CHECK(!events.read(little, code) && code.value() == PAPI_EBUF && code.category() == papi::category());
    CHECK(events.read(after, code) && !code);
    CHECK(!events.start(code) && code.value() == PAPI_EISRUN && !code.message().empty());
    events.reset();
    CHECK(events.stop()[FAULTS] < PAGES);
    CHECK(is_right(papi::measure({FAULTS}, touch)[FAULTS]));
}

static void scopes()
{
    papi::event_set events{FAULTS};
    long long values[1] = {0};
    {
        papi::scope counted(events, values);
        touch();
    }
    CHECK(is_right(values[0]));
    CHECK(throws<int>([&] { events.count([] { throw 1; }); }));
    CHECK(!events.running());
    {
        papi::scope counted(events, values);
        events.stop();
    }
    CHECK(values[0] == -1); /* somebody stopped it inside: not a count */
}

static void errors()
{
    try {
        papi::event_set events{"PAPI_TOT_INX"};
        CHECK(false);
    } catch (const papi::error &error) {
        CHECK(error.code() == PAPI_ENOTPRESET &&
              std::string(error.what()).find("PAPI_TOT_INS") != std::string::npos);
    }
    CHECK(throws<papi::error>([] { papi::check(PAPI_start(12345)); }));
    CHECK(papi::check(PAPI_num_components()) > 0);
}

static void moves()
{
    papi::event_set one{FAULTS}, other;
    other = std::move(one);
    papi::event_set third(std::move(other));
    CHECK(is_right(third.count(touch)[FAULTS]));
    third.add(CLOCK).remove(FAULTS);
    CHECK(third.count(touch)[CLOCK] > 0);
    int code;
    papi::check(PAPI_event_name_to_code(FAULTS, &code));
    third.add(code);
    CHECK(is_right(third.count(touch)[FAULTS]));
}

static void leaks()
{
    {
        papi::event_set first{FAULTS};
    }
    int before = descriptors();
    for (int i = 0; i < 20; i++) {
        papi::event_set running{FAULTS, CLOCK};
        running.start();
        CHECK(throws<papi::error>([] { papi::event_set{FAULTS, "no_such::EVENT"}; }));
    }
    CHECK(descriptors() == before);
}

static void threads()
{
    papi::event_set mine{FAULTS};
    long long other = 0;
    mine.start();
    std::thread([&] {
        other = papi::measure({FAULTS}, touch)[FAULTS];
        CHECK(throws<papi::error>([&] { mine.read(); }));
    }).join();
    CHECK(is_right(other) && mine.stop()[FAULTS] < PAGES / 2);
    papi::event_set all;
    all.inherit().add(FAULTS);
    all.start();
    std::thread(touch).join();
    CHECK(all.stop()[FAULTS] >= PAGES);
}

static void machine()
{
    CHECK(papi::presets(true).size() > 100);
    for (const auto &preset : papi::presets())
        CHECK(preset.count > 0);
    CHECK(papi::hardware().totalcpus > 0);
    papi::event_set kernel;
    kernel.domain(PAPI_DOM_ALL).add(CLOCK);
    CHECK(kernel.count(touch)[CLOCK] > 0);
    papi::region region("a region");
}

int main()
{
    counting();
    scopes();
    errors();
    moves();
    leaks();
    threads();
    machine();
    std::printf("%d failed\n", failed);
    return failed != 0;
}
