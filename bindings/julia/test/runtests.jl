# SPDX-License-Identifier: BSD-3-Clause
using PAPI
using Test

const FAULTS = "perf::PAGE-FAULTS"
const CLOCK = "perf::TASK-CLOCK"
const PAGES = 1000

# The kernel may give large pages for memory of Julia: they are turned off for this one.
function touch_pages()
    size = PAGES * 4096
    at = ccall(:mmap, Ptr{UInt8}, (Ptr{Cvoid}, Csize_t, Cint, Cint, Cint, Clong), C_NULL, size, 3, 0x22, -1, 0)
    ccall(:madvise, Cint, (Ptr{Cvoid}, Csize_t, Cint), at, size, 15)
    for page in 0:(PAGES - 1)
        unsafe_store!(at + page * 4096, 0x01)
    end
    ccall(:munmap, Cint, (Ptr{Cvoid}, Csize_t), at, size)
    return 42
end

is_right(faults) = PAGES <= faults < PAGES + 200

descriptors() = length(readdir("/proc/self/fd"))

function code_of(call)
    try
        call()
    catch error
        error isa PAPIError || rethrow()
        @test !isempty(error.reason)
        return error.code
    end
    return PAPI.PAPI_OK
end

touch_pages() # it is compiled

@testset "samples" begin
    sample = PAPI.@sample [FAULTS, CLOCK] touch_pages()
    @test sample.value == 42
    @test is_right(sample[FAULTS])
    @test sample[CLOCK] > 0
    @test_throws KeyError sample[PAPI.TOT_INS]
    @test is_right(PAPI.profile(touch_pages, [FAULTS])[Event(FAULTS)])
end

@testset "event sets" begin
    set = EventSet(FAULTS)
    addevent!(set, CLOCK)
    @test length(set) == 2
    start!(set)
    before = read!(set, zeros(Clonglong, 2))
    touch_pages()
    after = read!(set)
    @test is_right(after[1] - before[1])
    @test code_of(() -> read!(set, zeros(Clonglong, 1))) == PAPI.PAPI_EBUF
    @test code_of(() -> start!(set)) == PAPI.PAPI_EISRUN
    @test reset!(set) === set
    stopped = stop!(set)
    # As the function of C gives them.
    values = zeros(Clonglong, 2)
    PAPI.check(PAPI.PAPI_read(set.handle, values))
    @test values == stopped
    @test code_of(() -> stop!(set)) == PAPI.PAPI_ENOTRUN
    close(set)
    close(set)
    @test code_of(() -> start!(set)) == PAPI.PAPI_ENOEVST
end

@testset "changed by the handle" begin
    set = start!(EventSet(FAULTS))
    stop!(set)
    PAPI.check(PAPI.PAPI_add_named_event(set.handle, CLOCK))
    start!(set)
    @test code_of(() -> stop!(set)) == PAPI.PAPI_EBUF
    @test code_of(() -> read!(set)) == PAPI.PAPI_EBUF
    close(set)
end

@testset "events" begin
    @test PAPI.TOT_INS isa Preset && string(PAPI.TOT_INS) == "PAPI_TOT_INS"
    @test Event(FAULTS) isa Native
    @test Event("PAPI_TOT_CYC") == PAPI.TOT_CYC
    @test code_of(() -> EventSet("PAPI_TOT_INX")) == PAPI.PAPI_ENOTPRESET
    @test code_of(() -> Event("no_such::EVENT")) == PAPI.PAPI_ENOEVNT
end

@testset "descriptors" begin
    close(EventSet(FAULTS))
    before = descriptors()
    for _ in 1:20
        set = start!(EventSet(FAULTS, CLOCK))
        code_of(() -> EventSet(FAULTS, "no_such::EVENT"))
        close(set)
    end
    @test descriptors() == before
end
