# SPDX-License-Identifier: BSD-3-Clause
"""
Performance counters: event sets over libpapi.

    using PAPI
    sample = PAPI.@sample [PAPI.TOT_INS, PAPI.TOT_CYC] sum(rand(1000))
    sample["PAPI_TOT_INS"]

Every constant and function of papi.h has its own name here: PAPI.PAPI_start; PAPI.check throws what one returns.
"""
module PAPI

export Event, EventSet, Native, PAPIError, Preset, addevent!, reset!, start!, stop!

const libpapi = "libpapi.so.7.3"
include("interface.jl")

# ---- errors

"""An error of the library: its code, and what happened and what to do."""
struct PAPIError <: Exception
    code::Cint
    reason::String
end

Base.showerror(io::IO, error::PAPIError) = print(io, "PAPIError: ", error.reason)

"""The result of a function of papi.h, which is thrown as an error where it is negative."""
function check(result::Cint)
    result >= 0 && return result
    text = PAPI_strerror(result)
    throw(PAPIError(result, text == C_NULL ? "error $result" : unsafe_string(text)))
end

"""Initialises the library, which the functions below do themselves."""
function init()
    PAPI_is_initialized() == PAPI_NOT_INITED && check(PAPI_library_init(PAPI_VER_CURRENT))
    return nothing
end

# ---- events

abstract type Event end

"""An event of PAPI's own list, such as PAPI.TOT_INS."""
struct Preset <: Event
    code::Cint
end

"""An event of the processor, the kernel or a component."""
struct Native <: Event
    code::Cint
end

is_preset(code::Cint) = reinterpret(UInt32, code) & 0xc0000000 == 0x80000000

"""The event of a code or name: Event("perf::PAGE-FAULTS")."""
function Event(code::Integer)
    number = Cint(code)
    return is_preset(number) ? Preset(number) : Native(number)
end

function Event(name::AbstractString)
    init()
    code = Ref{Cint}(0)
    check(PAPI_event_name_to_code(name, code))
    return Event(code[])
end

Event(event::Event) = event

for (name, code) in PRESETS
    @eval const $name = Preset($code)
end

function name_of(event::Event)
    init()
    name = zeros(UInt8, PAPI_MAX_STR_LEN)
    result = PAPI_event_code_to_name(event.code, name)
    # A name that is longer is cut.
    result == PAPI_EBUF || check(result)
    return GC.@preserve name unsafe_string(pointer(name))
end

Base.show(io::IO, event::Event) = print(io, name_of(event))

function is_real(event::Event)
    info = zeros(UInt8, EVENT_INFO_SIZE)
    check(PAPI_get_event_info(event.code, info))
    data_type = GC.@preserve info unsafe_load(Ptr{Cint}(pointer(info) + EVENT_INFO_DATA_TYPE))
    return data_type == PAPI_DATATYPE_FP64
end

# ---- event sets

"""
    EventSet(events...)

Events, or names of events, that are counted together in the thread that made the set. `close` gives the counters back.
"""
mutable struct EventSet
    handle::Cint
    events::Vector{Event}
    real::Vector{Bool}

    function EventSet(events...)
        init()
        handle = Ref{Cint}(PAPI_NULL)
        check(PAPI_create_eventset(handle))
        set = new(handle[], Event[], Bool[])
        finalizer(close, set)
        try
            foreach(event -> addevent!(set, event), events)
        catch
            close(set)
            rethrow()
        end
        return set
    end
end

EventSet(events::AbstractVector) = EventSet(events...)

Base.length(set::EventSet) = length(set.events)

"""Adds an event, or that of a name, to a stopped set."""
function addevent!(set::EventSet, event)
    added = Event(event)
    real = is_real(added)
    check(PAPI_add_event(set.handle, added.code))
    push!(set.events, added)
    push!(set.real, real)
    return set
end

"""Room for the counts, by the number of events that the library has, which writes there."""
function check_room(set::EventSet, values::Vector{Clonglong})
    n = check(PAPI_num_events(set.handle))
    length(values) >= n && return nothing
    throw(PAPIError(PAPI_EBUF, "there is room for $(length(values)) counts, and the set has $n events"))
end

"""Zeroes the counts and starts."""
function start!(set::EventSet)
    check(PAPI_start(set.handle))
    return set
end

"""Stops. Returns the counts in the order of the events: integers, and real numbers where an event has them."""
function stop!(set::EventSet)
    bits = zeros(Clonglong, length(set))
    check_room(set, bits)
    check(PAPI_stop(set.handle, bits))
    return counts(set, bits)
end

"""
    read!(set)
    read!(set, values::Vector{Clonglong})

The counts so far; the second has them in an array of the caller, and allocates nothing.
"""
function Base.read!(set::EventSet)
    return counts(set, read!(set, zeros(Clonglong, length(set))))
end

function Base.read!(set::EventSet, values::Vector{Clonglong})
    check_room(set, values)
    check(PAPI_read(set.handle, values))
    return values
end

"""Counts from zero."""
function reset!(set::EventSet)
    check(PAPI_reset(set.handle))
    return set
end

function counts(set::EventSet, bits::Vector{Clonglong})
    codes = zeros(Cint, 64)
    n = Ref{Cint}(length(codes))
    check(PAPI_list_events(set.handle, codes, n))
    codes[1:min(n[], end)] == [event.code for event in set.events] ||
        throw(PAPIError(PAPI_EINVAL, "the events of the set were changed by its handle: addevent! keeps their names and places"))
    any(set.real) || return bits
    return Real[real ? reinterpret(Float64, value) : value for (real, value) in zip(set.real, bits)]
end

"""Gives the counters back. It is harmless where it is repeated."""
function Base.close(set::EventSet)
    set.handle == PAPI_NULL && return nothing
    handle = Ref{Cint}(set.handle)
    set.handle = PAPI_NULL
    # An error where it does not run, or belongs to another thread, with which it ends.
    PAPI_stop(handle[], C_NULL)
    PAPI_cleanup_eventset(handle[])
    PAPI_destroy_eventset(handle)
    return nothing
end

# ---- samples

"""The value of an expression, and what it counted. sample[event] is the count of an event or of its name."""
struct Sample
    value::Any
    events::Vector{Event}
    counts::Vector
end

function Base.getindex(sample::Sample, event)
    code = Event(event).code
    place = findfirst(counted -> counted.code == code, sample.events)
    place === nothing && throw(KeyError(event))
    return sample.counts[place]
end

function Base.show(io::IO, ::MIME"text/plain", sample::Sample)
    for (event, count) in zip(sample.events, sample.counts)
        println(io, rpad(name_of(event), 32), lpad(string(count), 18))
    end
end

"""
    PAPI.@sample events expression

Counts an expression, with an event set of its own.
"""
macro sample(events, expression)
    return quote
        local set = EventSet($(esc(events)))
        try
            start!(set)
            local value = $(esc(expression))
            local counted = stop!(set)
            Sample(value, copy(set.events), counted)
        finally
            close(set)
        end
    end
end

"""
    PAPI.profile(function, events)

The same of a function that takes nothing.
"""
profile(what, events) = @sample events what()

end
