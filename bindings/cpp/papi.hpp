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
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#if __cplusplus < 201703L
#error "papi.hpp is of C++17: compile with -std=c++17 or later, or use papi.h"
#endif
#ifndef __cpp_exceptions
#error "papi.hpp throws its errors: compile with exceptions, or use papi.h"
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

namespace detail
{
/* A text of C ends at the first zero: one inside would cut it, to another name. */
inline std::string text(std::string_view name)
{
    if (name.find('\0') != std::string_view::npos)
        throw std::invalid_argument("a name has a zero byte inside: " +
                                    std::string(name.substr(0, name.find('\0'))));
    return std::string(name);
}
} // namespace detail

/* Initialises the library, which the objects below do themselves. */
inline void init()
{
    if (PAPI_is_initialized() == PAPI_NOT_INITED)
        check(PAPI_library_init(PAPI_VER_CURRENT));
}

/* ---- counts */

namespace detail
{
/* True for containers of counts, in memory that can be written. What owns its memory is there longer than a
 * temporary object. */
template <class Container, class = void> struct holds_counts : std::false_type {
};
template <class Container>
struct holds_counts<Container, std::void_t<decltype(std::declval<Container &>().data()),
                                           decltype(std::declval<Container &>().size())>>
    : std::bool_constant<std::is_convertible_v<decltype(std::declval<Container &>().data()), long long *> &&
                         (std::is_lvalue_reference_v<Container> || std::is_trivially_copyable_v<Container>)> {
};
} // namespace detail

/* Memory of counts that somebody else owns, of a std::vector, std::array, std::span or array. It is the same
 * class in every version of C++, so that parts of a program may be of different ones. */
class count_span
{
  public:
    count_span(long long *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    template <class Container, class = std::enable_if_t<detail::holds_counts<Container>::value>>
    count_span(Container &&container) noexcept : data_(container.data()), size_(container.size())
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

/* Counts with the names of their events, in the order of the set. */
class counts
{
  public:
    counts() = default;
    /*   reals  which of the values are the bits of a real number; none where it is empty */
    counts(std::vector<std::string> names, std::vector<long long> values, std::vector<bool> reals = {})
        : names_(std::move(names)), values_(std::move(values)), reals_(std::move(reals))
    {
        reals_.resize(values_.size());
        if (names_.size() != values_.size())
            throw std::invalid_argument("as many names as values");
    }

    /* Of the event of this name. std::out_of_range: it is not among them. std::domain_error: its values are
     * real numbers, and these bits of one are no count. */
    long long operator[](std::string_view name) const
    {
        return whole(place(name));
    }
    long long operator[](std::size_t at) const
    {
        if (at >= values_.size())
            throw std::out_of_range("event " + std::to_string(at) + " of " + std::to_string(values_.size()));
        return whole(at);
    }
    /* The same as a real number: for events whose values are some (PAPI_DATATYPE_FP64), and for all others.
     */
    double real(std::string_view name) const
    {
        return real_at(place(name));
    }
    bool is_real(std::string_view name) const
    {
        return reals_[place(name)];
    }
    std::size_t size() const noexcept
    {
        return values_.size();
    }
    const std::vector<std::string> &names() const noexcept
    {
        return names_;
    }
    /* As the library gives them: real numbers are their bits. */
    const std::vector<long long> &values() const noexcept
    {
        return values_;
    }

    counts &operator+=(const counts &other)
    {
        if (names_ != other.names_ || reals_ != other.reals_)
            throw std::invalid_argument("counts of different events cannot be added");
        for (std::size_t i = 0; i < values_.size(); i++) {
            if (reals_[i]) {
                double sum = real_at(i) + other.real_at(i);
                std::memcpy(&values_[i], &sum, sizeof sum);
            } else
                values_[i] += other.values_[i];
        }
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
    long long whole(std::size_t at) const
    {
        if (reals_[at])
            throw std::domain_error(names_[at] + " has real numbers: counts::real gives them");
        return values_[at];
    }
    double real_at(std::size_t at) const
    {
        double value = static_cast<double>(values_[at]);
        static_assert(sizeof value == sizeof values_[at], "of 64 bits");
        if (reals_[at])
            std::memcpy(&value, &values_[at], sizeof value);
        return value;
    }

    std::vector<std::string> names_;
    std::vector<long long> values_;
    std::vector<bool> reals_;
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
        : handle_(std::exchange(other.handle_, PAPI_NULL)), names_(std::move(other.names_)),
          codes_(std::move(other.codes_)), reals_(std::move(other.reals_))
    {
        other.forget();
    }
    event_set &operator=(event_set &&other) noexcept
    {
        event_set taken(
            std::move(other)); /* what this one had is freed at the end, also where the two are one */
        std::swap(handle_, taken.handle_);
        std::swap(names_, taken.names_);
        std::swap(codes_, taken.codes_);
        std::swap(reals_, taken.reals_);
        return *this;
    }
    event_set(const event_set &) = delete;
    event_set &operator=(const event_set &) = delete;

    ~event_set()
    {
        int state = 0;
        if (handle_ == PAPI_NULL)
            return;
        if (PAPI_state(handle_, &state) == PAPI_OK &&
            (state & PAPI_RUNNING) != 0) /* no error replaces a reason */
            PAPI_stop(handle_, nullptr);
        PAPI_cleanup_eventset(handle_);
        PAPI_destroy_eventset(&handle_);
    }

    event_set &add(std::string_view name)
    {
        std::string text = detail::text(name);
        reserve();
        check(PAPI_add_named_event(handle_, text.c_str()));
        return added(std::move(text));
    }
    event_set &add(int code)
    {
        char name[PAPI_MAX_STR_LEN];
        check(PAPI_event_code_to_name(code, name));
        std::string text(name);
        reserve();
        check(PAPI_add_event(handle_, code));
        return added(std::move(text));
    }
    void remove(std::string_view name)
    {
        auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end())
            throw error(PAPI_EINVAL, std::string(name) + " is not in the event set under this name");
        remove(codes_[static_cast<std::size_t>(found - names_.begin())]);
    }
    void remove(int code)
    {
        check(PAPI_remove_event(handle_, code));
        auto at = std::find(codes_.begin(), codes_.end(), code) - codes_.begin();
        if (at == static_cast<std::ptrdiff_t>(codes_.size()))
            return; /* it was added by the handle */
        names_.erase(names_.begin() + at);
        codes_.erase(codes_.begin() + at);
        reals_.erase(reals_.begin() + at);
    }

    /* Binds an empty set to a component, for the options below; that of the processor where it is not called.
     */
    event_set &component(std::string_view name)
    {
        int index = check(PAPI_get_component_index(detail::text(name).c_str()));
        check(PAPI_assign_eventset_component(handle_, index));
        return *this;
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
     * Real numbers are their bits. */
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
        int n = PAPI_num_events(handle_);
        if (n < 0 || !has_room(values, n))
            return check(n < 0 ? n : PAPI_EBUF, failed);
        return check(PAPI_read(handle_, values.data()), failed);
    }

    /* What a function counts. Where it throws, the set is stopped. */
    template <class Function> counts count(Function &&function);

    double metric(std::string_view name, const counts &values, long long nsec = 0) const
    {
        double value;
        std::vector<long long> copy = values.values();
        if (values.names() != names_)
            throw std::invalid_argument("counts of other events than those of the event set");
        check_events();
        check(PAPI_metric(handle_, detail::text(name).c_str(), copy.data(), nsec, &value));
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
    friend class scope;
    enum { MOST_EVENTS = 64 }; /* an overflow vector has a bit for each */

    void forget() noexcept
    {
        names_.clear();
        codes_.clear();
        reals_.clear();
    }

    /* Room for one more: once the event is in the set, nothing throws that would leave it without a name. */
    void reserve()
    {
        names_.reserve(names_.size() + 1);
        codes_.reserve(codes_.size() + 1);
        reals_.reserve(reals_.size() + 1);
    }

    /* Notes the event that was added last; one that nothing is known of is taken out again. */
    event_set &added(std::string &&name)
    {
        int codes[MOST_EVENTS], n = MOST_EVENTS;
        check(PAPI_list_events(handle_, codes, &n));
        PAPI_event_info_t info;
        int code = codes[n - 1], result = PAPI_get_event_info(code, &info);
        if (result != PAPI_OK) {
            error failure(result);
            PAPI_remove_event(handle_, code);
            throw failure;
        }
        names_.push_back(std::move(name));
        codes_.push_back(code);
        reals_.push_back(info.data_type == PAPI_DATATYPE_FP64);
        return *this;
    }

    /* The names are those of the events. */
    void check_events() const
    {
        int codes[MOST_EVENTS], n = MOST_EVENTS;
        check(PAPI_list_events(handle_, codes, &n));
        if (!std::equal(codes, codes + n, codes_.begin(), codes_.end()))
            throw error(PAPI_EINVAL, "the events of the set were changed by its handle: add and remove of "
                                     "papi::event_set keep their names and places");
    }

    /* An empty set belongs to no component, which options of the set need. */
    void bind()
    {
        if (names_.empty() && PAPI_get_eventset_component(handle_) < 0)
            check(PAPI_assign_eventset_component(handle_, 0));
    }
    static bool has_room(count_span values, int n) noexcept
    {
        return values.size() >= static_cast<std::size_t>(n);
    }
    /* By the number that the library has, which writes there. */
    long long *room(count_span values) const
    {
        int n = check(PAPI_num_events(handle_));
        if (!has_room(values, n))
            throw error(PAPI_EBUF, "room for " + std::to_string(values.size()) + " counts, and the set has " +
                                       std::to_string(n) + " events");
        return values.data();
    }
    counts take(int (*function)(int, long long *)) const
    {
        check_events();
        std::vector<long long> values(names_.size());
        check(function(handle_, values.data()));
        return counts(names_, std::move(values), reals_);
    }

    int handle_ = PAPI_NULL;
    std::vector<std::string> names_;
    std::vector<int> codes_;
    std::vector<bool> reals_;
};

/* Counts while it lives: the counts are in the set's order in the memory that it is given; -1 in each place
 * where they were lost, since a wrong figure would look right. */
class [[nodiscard]] scope
{
  public:
    scope(event_set &events, count_span values) : events_(events), values_(values)
    {
        (void)events.room(values);
        events.start();
    }
    ~scope()
    {
        int n = PAPI_num_events(events_.handle());
        if (n < 0 || !event_set::has_room(values_, n) ||
            PAPI_stop(events_.handle(), values_.data()) != PAPI_OK)
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
    check_events();
    std::vector<long long> values(
        MOST_EVENTS); /* before, so that it is not counted; and whatever the function does */
    start();
    stopping at_throw{handle_};
    std::forward<Function>(function)();
    at_throw.handle = PAPI_NULL;
    check(PAPI_stop(handle_, values.data()));
    check_events();
    values.resize(names_.size());
    return counts(names_, std::move(values), reals_);
}

/* What a function counts, with an event set of its own. */
template <class Function> counts measure(std::initializer_list<std::string_view> names, Function &&function)
{
    return event_set(names).count(std::forward<Function>(function));
}

/* ---- regions */

/* A region while it lives: its counts are in the file that the library writes at the end. */
class [[nodiscard]] region
{
  public:
    explicit region(std::string_view name) : name_(detail::text(name))
    {
        int code = PAPI_hl_region_begin(name_.c_str());
        if (code >= 0)
            return;
        error failure(code);
        if (code != PAPI_EINVAL) /* it is open all the same, without counts, or its end is expected */
            PAPI_hl_region_end(name_.c_str());
        throw failure;
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
