/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Software-defined events in C++11: objects over the functions of sde_lib.h, which says what each does.
 */
#ifndef PAPI_SDE_LIB_HPP
#define PAPI_SDE_LIB_HPP

#include "sde_lib.h"

#include <exception>
#include <new>

namespace papi_sde
{

/* The type by which PAPI knows a variable; others do not compile. */
template <typename T> struct type_of;
template <> struct type_of<long long> { static const int value = PAPI_SDE_long_long; };
template <> struct type_of<int> { static const int value = PAPI_SDE_int; };
template <> struct type_of<double> { static const int value = PAPI_SDE_double; };
template <> struct type_of<float> { static const int value = PAPI_SDE_float; };

class PapiSde
{
  public:
    explicit PapiSde(const char *name_of_library) : handle(papi_sde_init(name_of_library)) {}

    class CreatedCounter
    {
      public:
        CreatedCounter(papi_handle_t library, const char *event_name, int cntr_mode)
        {
            if (papi_sde_create_counter(library, event_name, cntr_mode, &counter) != SDE_OK)
                throw std::exception();
        }
        template <typename T> int increment(const T &by)
        {
            return papi_sde_inc_counter(counter, static_cast<long long>(by));
        }
        int reset() { return papi_sde_reset_counter(counter); }

      private:
        void *counter = nullptr;
    };

    class Recorder
    {
      public:
        Recorder(papi_handle_t library, const char *event_name, size_t typesize,
                 int (*compare)(const void *, const void *))
        {
            if (papi_sde_create_recorder(library, event_name, typesize, compare, &recorder) != SDE_OK)
                throw std::exception();
        }
        template <typename T> int record(const T &value) { return papi_sde_record(recorder, sizeof(T), &value); }
        int reset() { return papi_sde_reset_recorder(recorder); }

      private:
        void *recorder = nullptr;
    };

    class CountingSet
    {
      public:
        CountingSet(papi_handle_t library, const char *cset_name)
        {
            if (papi_sde_create_counting_set(library, cset_name, &set) != SDE_OK)
                throw std::exception();
        }
        template <typename T> int insert(const T &element, uint32_t type_id)
        {
            return insert(sizeof(T), element, type_id);
        }
        template <typename T> int insert(size_t hashable_size, const T &element, uint32_t type_id)
        {
            return papi_sde_counting_set_insert(set, sizeof(T), hashable_size, &element, type_id);
        }
        template <typename T> int remove(size_t hashable_size, const T &element, uint32_t type_id)
        {
            return papi_sde_counting_set_remove(set, hashable_size, &element, type_id);
        }

      private:
        void *set = nullptr;
    };

    template <typename T> int register_counter(const char *event_name, int cntr_mode, T &counter)
    {
        return papi_sde_register_counter(handle, event_name, cntr_mode, type_of<T>::value, &counter);
    }
    /* Counters that are functions returning a long long. */
    template <typename P>
    int register_counter_cb(const char *event_name, int cntr_mode, long long (*callback)(P *), P &param)
    {
        return papi_sde_register_counter_cb(handle, event_name, cntr_mode, PAPI_SDE_long_long,
                                            reinterpret_cast<papi_sde_fptr_t>(callback), &param);
    }
    int unregister_counter(const char *event_name) { return papi_sde_unregister_counter(handle, event_name); }
    int describe_counter(const char *event_name, const char *description)
    {
        return papi_sde_describe_counter(handle, event_name, description);
    }
    int add_counter_to_group(const char *event_name, const char *group_name, uint32_t group_flags)
    {
        return papi_sde_add_counter_to_group(handle, event_name, group_name, group_flags);
    }

    /* The caller's, to delete; nullptr: it could not be made. The event stays. */
    CreatedCounter *create_counter(const char *event_name, int cntr_mode)
    {
        return made<CreatedCounter>(event_name, cntr_mode);
    }
    Recorder *create_recorder(const char *event_name, size_t typesize, int (*compare)(const void *, const void *))
    {
        return made<Recorder>(event_name, typesize, compare);
    }
    CountingSet *create_counting_set(const char *cset_name) { return made<CountingSet>(cset_name); }

  private:
    template <typename T, typename... A> T *made(A... arguments)
    {
        try {
            return new T(handle, arguments...);
        } catch (const std::exception &) {
            return nullptr;
        }
    }

    papi_handle_t handle;
};

template <typename T> PapiSde::CreatedCounter &operator+=(PapiSde::CreatedCounter &counter, const T &by)
{
    counter.increment(by);
    return counter;
}

inline PapiSde::CreatedCounter &operator++(PapiSde::CreatedCounter &counter)
{
    counter.increment(1);
    return counter;
}

inline PapiSde::CreatedCounter &operator--(PapiSde::CreatedCounter &counter)
{
    counter.increment(-1);
    return counter;
}

} // namespace papi_sde

#endif
