/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi.hpp, in each version of C++ that it is for. */
#include <papi.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <iostream>
#include <sys/mman.h>
#if __cplusplus >= 202002L
#include <span>
#endif
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

/* What a destructor does in between replaces no reason. */
static void reasons()
{
    std::error_code code;
    papi::event_set running{FAULTS};
    running.start();
    {
        papi::event_set stopped{FAULTS};
        CHECK(!running.start(code));
    }
    CHECK(code.message().find("is running") != std::string::npos);
}

static void moves()
{
    papi::event_set one{FAULTS}, other{FAULTS};
    other.start();
    int before = descriptors();
    other = std::move(one); /* what it had is closed */
    CHECK(descriptors() < before && !other.running() && one.size() == 0);
    CHECK(throws<papi::error>([&] { (void)one.read(); }));
    papi::event_set &self = other;
    other = std::move(self);
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

/* Events that were added or taken out by the handle. */
static void handles()
{
    papi::event_set events{FAULTS};
    long long values[4] = {-7, -7, -7, -7};
    papi::check(PAPI_add_named_event(events.handle(), CLOCK));
    CHECK(throws<papi::error>([&] { (void)events.count(touch); }));
    CHECK(throws<papi::error>([&] { papi::scope counted(events, papi::count_span(values, 1)); }));
    events.start();
    std::error_code code;
    CHECK(!events.read(papi::count_span(values, 1), code) && code.value() == PAPI_EBUF);
    CHECK(throws<papi::error>([&] { events.read(papi::count_span(values, 1)); }));
    CHECK(throws<papi::error>([&] { (void)events.read(); }));
    CHECK(values[0] == -7 && values[1] == -7);
    events.read(papi::count_span(values, 2));
    CHECK(values[1] != -7 && values[2] == -7);
    CHECK(throws<papi::error>([&] { (void)events.stop(); }) && events.running());
    papi::check(PAPI_stop(events.handle(), values));
    int clock;
    papi::check(PAPI_event_name_to_code(CLOCK, &clock));
    events.remove(clock);
    CHECK(is_right(events.count(touch)[FAULTS]));
    CHECK(throws<papi::error>([&] { events.remove("perf::CONTEXT-SWITCHES"); }) && events.size() == 1);
    papi::check(PAPI_remove_named_event(events.handle(), FAULTS)); /* as many, and other ones */
    papi::check(PAPI_add_named_event(events.handle(), CLOCK));
    CHECK(throws<papi::error>([&] { (void)events.count(touch); }));
}

static void names()
{
    using namespace std::string_view_literals;
    papi::event_set events;
    CHECK(throws<std::invalid_argument>([&] { events.add("perf::PAGE-FAULTS\0and more"sv); }));
    CHECK(throws<std::invalid_argument>([] { papi::region cut("a\0b"sv); }));
    CHECK(events.size() == 0);
    events.component("perf_event").inherit().add(FAULTS);
    CHECK(is_right(events.count(touch)[FAULTS]));
}

static void real_numbers()
{
    double a = 1.5, b = 0.25;
    long long bits[2];
    std::memcpy(&bits[0], &a, sizeof a);
    std::memcpy(&bits[1], &b, sizeof b);
    papi::counts one({"real", "whole"}, {bits[0], 7}, {true, false});
    papi::counts other({"real", "whole"}, {bits[1], 3}, {true, false});
    one += other;
    CHECK(one.real("real") == 1.75 && one["whole"] == 10 && one.real("whole") == 10.0);
    CHECK(throws<std::domain_error>([&] { (void)one["real"]; }) &&
          throws<std::domain_error>([&] { (void)one[0]; }));
    CHECK(one.is_real("real") && !one.is_real("whole"));
    CHECK(throws<std::invalid_argument>([&] { one += papi::counts({"real", "whole"}, {1, 2}); }));
    CHECK(throws<std::invalid_argument>([] { papi::counts({"a", "b"}, {1}); }));
    CHECK(throws<std::out_of_range>([&] { (void)one[2]; }));
    const char *growth = std::getenv("GROWTH"); /* with the library that registers it */
    if (growth == nullptr)
        return;
    papi::event_set events{growth};
    auto counted = events.count(touch);
    CHECK(counted.is_real(growth) && counted.real(growth) == 0.5);
    CHECK(events.count(touch).real(growth) == 0.5);
}

/* What is taken as memory of counts. */
static void spans()
{
    static_assert(std::is_convertible_v<std::vector<long long> &, papi::count_span>);
    static_assert(!std::is_convertible_v<std::vector<long long>, papi::count_span>); /* it would be gone */
    static_assert(!std::is_convertible_v<const std::vector<long long> &, papi::count_span>);
    static_assert(!std::is_convertible_v<std::vector<int> &, papi::count_span>);
    static_assert(!std::is_convertible_v<std::array<short, 4> &, papi::count_span>);
    std::vector<long long> values(3, -7);
    papi::event_set events{FAULTS};
    events.start();
    touch();
    events.read(values);
#if __cplusplus >= 202002L
    events.read(std::span<long long>(values).subspan(1));
#else
    events.read(papi::count_span(values.data() + 1, 2));
#endif
    CHECK(is_right(values[0]) && is_right(values[1]) && values[2] == -7);
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
    reasons();
    moves();
    leaks();
    threads();
    handles();
    spans();
    names();
    real_numbers();
    machine();
    std::printf("%d failed\n", failed);
    return failed != 0;
}
