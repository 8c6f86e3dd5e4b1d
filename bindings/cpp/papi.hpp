/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi.hpp: performance counters in C++17 and later. Objects own what they open; an error is an exception of
 * type papi::error with the library's reason, or, in the calls that end in a std::error_code, that code. All
 * functions of papi.h can be called beside these: papi::check(PAPI_...) throws what they return.
 *
 *     papi::event_set events{"PAPI_TOT_INS", "PAPI_TOT_CYC"};
 *     auto counts = events.count([&] { work(); });
 *     std::cout << counts["PAPI_TOT_INS"] << '\n';
 *
 * An event set counts in, and is used by, the thread that made it.
 */
#pragma once

#include "papi.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace papi
{

/* ---- errors */

/* An error of the library. code(): PAPI_E*; what(): its text, with what happened and what to do. */
class error : public std::runtime_error
{
  public:
    error(int code, const std::string &text) : std::runtime_error(text), code_(code)
    {
    }
    explicit error(int code) : error(code, text_of(code))
    {
    }
    int code() const noexcept
    {
        return code_;
    }

  private:
    static std::string text_of(int code)
    {
        const char *text = PAPI_strerror(code);
        return text != nullptr ? text : "error " + std::to_string(code);
    }
    int code_;
};

namespace detail
{
class category final : public std::error_category
{
  public:
    const char *name() const noexcept override
    {
        return "papi";
    }
    std::string message(int code) const override
    {
        const char *text = PAPI_strerror(code);
        return text != nullptr ? text : "error " + std::to_string(code);
    }
};
} // namespace detail

/* Of codes in a std::error_code; its messages have the reason of the calling thread's last error. */
inline const std::error_category &category() noexcept
{
    static const detail::category only;
    return only;
}

/* The result of a function of papi.h, which is an error where it is negative. */
inline int check(int result)
{
    if (result < 0)
        throw error(result);
    return result;
}

inline bool check(int result, std::error_code &failed) noexcept
{
    if (result < 0)
        failed.assign(result, category());
    else
        failed.clear();
    return result >= 0;
}

/* Initialises the library, which the objects below do themselves. */
inline void init()
{
    if (PAPI_is_initialized() == PAPI_NOT_INITED)
        check(PAPI_library_init(PAPI_VER_CURRENT));
}

/* ---- counts */

#if __cplusplus >= 202002L
using count_span = std::span<long long>;
#else
/* Memory of counts that somebody else owns, as std::span<long long> of C++20. */
class count_span
{
  public:
    count_span(long long *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    template <class Container, class = decltype(std::declval<Container &>().data())>
    count_span(Container &container) noexcept : data_(container.data()), size_(container.size())
    {
    }
    template <std::size_t N> count_span(long long (&array)[N]) noexcept : data_(array), size_(N)
    {
    }
    long long *data() const noexcept
    {
        return data_;
    }
    std::size_t size() const noexcept
    {
        return size_;
    }
    long long *begin() const noexcept
    {
        return data_;
    }
    long long *end() const noexcept
    {
        return data_ + size_;
    }
    long long &operator[](std::size_t at) const noexcept
    {
        return data_[at];
    }

  private:
    long long *data_;
    std::size_t size_;
};
#endif

/* Counts with the names of their events, in the order of the set. */
class counts
{
  public:
    counts() = default;
    counts(std::vector<std::string> names, std::vector<long long> values)
        : names_(std::move(names)), values_(std::move(values))
    {
    }

    /* Of the event of this name. std::out_of_range: it is not among them. */
    long long operator[](std::string_view name) const
    {
        return values_[place(name)];
    }
    long long operator[](std::size_t at) const
    {
        return values_.at(at);
    }
    /* Of an event whose values are real numbers (PAPI_DATATYPE_FP64), which are in the same 64 bits. */
    double real(std::string_view name) const
    {
        double value;
        static_assert(sizeof value == sizeof values_[0], "of 64 bits");
        std::memcpy(&value, &values_[place(name)], sizeof value);
        return value;
    }
    std::size_t size() const noexcept
    {
        return values_.size();
    }
    const std::vector<std::string> &names() const noexcept
    {
        return names_;
    }
    const std::vector<long long> &values() const noexcept
    {
        return values_;
    }

    counts &operator+=(const counts &other)
    {
        if (names_ != other.names_)
            throw std::invalid_argument("counts of different events cannot be added");
        for (std::size_t i = 0; i < values_.size(); i++)
            values_[i] += other.values_[i];
        return *this;
    }

  private:
    std::size_t place(std::string_view name) const
    {
        auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end())
            throw std::out_of_range("no event " + std::string(name) + " was counted");
        return static_cast<std::size_t>(found - names_.begin());
    }

    std::vector<std::string> names_;
    std::vector<long long> values_;
};

/* ---- event sets */

class event_set
{
  public:
    event_set()
    {
        init();
        check(PAPI_create_eventset(&handle_));
    }
    event_set(std::initializer_list<std::string_view> names) : event_set()
    {
        for (std::string_view name : names) /* what has been made is destroyed: the delegate has ended */
            add(name);
    }
    event_set(event_set &&other) noexcept
        : handle_(std::exchange(other.handle_, PAPI_NULL)), names_(std::move(other.names_))
    {
    }
    event_set &operator=(event_set &&other) noexcept
    {
        std::swap(handle_, other.handle_);
        std::swap(names_, other.names_);
        return *this;
    }
    event_set(const event_set &) = delete;
    event_set &operator=(const event_set &) = delete;

    ~event_set()
    {
        if (handle_ == PAPI_NULL)
            return;
        PAPI_stop(handle_, nullptr); /* an error where it does not run */
        PAPI_cleanup_eventset(handle_);
        PAPI_destroy_eventset(&handle_);
    }

    event_set &add(std::string_view name)
    {
        check(PAPI_add_named_event(handle_, std::string(name).c_str()));
        names_.emplace_back(name);
        return *this;
    }
    event_set &add(int code)
    {
        char name[PAPI_MAX_STR_LEN];
        names_.reserve(names_.size() + 1);
        check(PAPI_event_code_to_name(code, name));
        check(PAPI_add_event(handle_, code));
        names_.emplace_back(name);
        return *this;
    }
    void remove(std::string_view name)
    {
        check(PAPI_remove_named_event(handle_, std::string(name).c_str()));
        names_.erase(std::find(names_.begin(), names_.end(), name));
    }

    /* More events than there are counters take turns: estimates. */
    event_set &multiplex()
    {
        bind();
        check(PAPI_set_multiplex(handle_));
        return *this;
    }
    /* Counts another thread or process. */
    event_set &attach(unsigned long tid)
    {
        bind();
        check(PAPI_attach(handle_, tid));
        return *this;
    }
    /* Counts threads and processes that start later, too. */
    event_set &inherit()
    {
        bind();
        PAPI_option_t option{};
        option.inherit.eventset = handle_;
        option.inherit.inherit = PAPI_INHERIT_ALL;
        check(PAPI_set_opt(PAPI_INHERIT, &option));
        return *this;
    }
    /* PAPI_DOM_USER, PAPI_DOM_KERNEL, ... */
    event_set &domain(int domain)
    {
        bind();
        PAPI_option_t option{};
        option.domain.eventset = handle_;
        option.domain.domain = domain;
        check(PAPI_set_opt(PAPI_DOMAIN, &option));
        return *this;
    }

    void start()
    {
        check(PAPI_start(handle_));
    }
    bool start(std::error_code &failed) noexcept
    {
        return check(PAPI_start(handle_), failed);
    }
    counts stop()
    {
        return take(PAPI_stop);
    }
    counts read() const
    {
        return take(PAPI_read);
    }
    void reset()
    {
        check(PAPI_reset(handle_));
    }

    /* The same into memory of the caller, without an object of its own: one element for each event, or more.
     */
    void stop(count_span values)
    {
        check(PAPI_stop(handle_, room(values)));
    }
    void read(count_span values) const
    {
        check(PAPI_read(handle_, room(values)));
    }
    bool read(count_span values, std::error_code &failed) const noexcept
    {
        return check(values.size() < names_.size() ? PAPI_EBUF : PAPI_read(handle_, values.data()), failed);
    }

    /* What a function counts. Where it throws, the set is stopped. */
    template <class Function> counts count(Function &&function);

    double metric(const std::string &name, const counts &values, long long nsec = 0) const
    {
        double value;
        std::vector<long long> copy = values.values();
        if (copy.size() != names_.size())
            throw std::invalid_argument("counts of another event set");
        check(PAPI_metric(handle_, name.c_str(), copy.data(), nsec, &value));
        return value;
    }

    bool running() const
    {
        int state;
        check(PAPI_state(handle_, &state));
        return (state & PAPI_RUNNING) != 0;
    }
    int handle() const noexcept
    {
        return handle_;
    }
    std::size_t size() const noexcept
    {
        return names_.size();
    }
    const std::vector<std::string> &names() const noexcept
    {
        return names_;
    }

  private:
    /* An empty set belongs to no component, which options of the set need. */
    void bind()
    {
        if (names_.empty() && PAPI_get_eventset_component(handle_) < 0)
            check(PAPI_assign_eventset_component(handle_, 0));
    }
    long long *room(count_span values) const
    {
        if (values.size() < names_.size())
            throw error(PAPI_EBUF, "room for " + std::to_string(values.size()) + " counts, and the set has " +
                                       std::to_string(names_.size()) + " events");
        return values.data();
    }
    counts take(int (*function)(int, long long *)) const
    {
        std::vector<long long> values(names_.size());
        check(function(handle_, values.data()));
        return counts(names_, std::move(values));
    }

    int handle_ = PAPI_NULL;
    std::vector<std::string> names_;
};

/* Counts while it lives: the counts are in the set's order in the memory that it is given. */
class scope
{
  public:
    scope(event_set &events, count_span values) : events_(events), values_(values)
    {
        if (values.size() < events.size())
            throw error(PAPI_EBUF, "room for " + std::to_string(values.size()) + " counts, and the set has " +
                                       std::to_string(events.size()) + " events");
        events.start();
    }
    ~scope()
    {
        if (PAPI_stop(events_.handle(), values_.data()) != PAPI_OK) /* a wrong figure would look right */
            std::fill(values_.begin(), values_.end(), -1);
    }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

  private:
    event_set &events_;
    count_span values_;
};

template <class Function> counts event_set::count(Function &&function)
{
    struct stopping {
        int handle;
        ~stopping()
        {
            if (handle != PAPI_NULL)
                PAPI_stop(handle, nullptr);
        }
    };
    start();
    stopping at_throw{handle_};
    std::forward<Function>(function)();
    std::vector<long long> values(names_.size());
    at_throw.handle = PAPI_NULL;
    check(PAPI_stop(handle_, values.data()));
    return counts(names_, std::move(values));
}

/* What a function counts, with an event set of its own. */
template <class Function> counts measure(std::initializer_list<std::string_view> names, Function &&function)
{
    return event_set(names).count(std::forward<Function>(function));
}

/* ---- regions */

/* A region while it lives: its counts are in the file that the library writes at the end. */
class region
{
  public:
    explicit region(std::string name) : name_(std::move(name))
    {
        check(PAPI_hl_region_begin(name_.c_str()));
    }
    ~region()
    {
        PAPI_hl_region_end(name_.c_str());
    }
    region(const region &) = delete;
    region &operator=(const region &) = delete;

  private:
    std::string name_;
};

/* ---- the machine */

/* Descriptions of the presets: of those that count here, or of all. */
inline std::vector<PAPI_event_info_t> presets(bool all = false)
{
    std::vector<PAPI_event_info_t> found;
    int code = PAPI_PRESET_MASK;
    init();
    for (int result = PAPI_enum_event(&code, PAPI_ENUM_FIRST); result == PAPI_OK;
         result = PAPI_enum_event(&code, PAPI_ENUM_EVENTS)) {
        PAPI_event_info_t info;
        if (PAPI_get_event_info(code, &info) == PAPI_OK && (all || info.count > 0))
            found.push_back(info);
    }
    return found;
}

inline const PAPI_hw_info_t &hardware()
{
    init();
    const PAPI_hw_info_t *info = PAPI_get_hardware_info();
    if (info == nullptr)
        throw error(PAPI_ESYS);
    return *info;
}

} // namespace papi
