# SPDX-License-Identifier: BSD-3-Clause
# The compiler's and the linker's protections against what faults are used for. They come before the user's own flags,
# which therefore decide: with -DCMAKE_C_FLAGS=-fno-stack-protector there is none.
option(FPAPI_PROTECTION "Stack protector, checked calls of the C library, shadow stack, everything bound at the start" ON)
set(FPAPI_QUICK_FLAGS "")
if(NOT FPAPI_PROTECTION OR FPAPI_SANITIZE OR FPAPI_FUZZ) # sanitizers find more, and do not go with some of these
  return()
endif()
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

# known_flags(OUT FLAG...): those that the compiler, or with -Wl the linker, knows.
function(known_flags out)
  set(known "")
  foreach(flag IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "FPAPI_HAS${flag}" has)
    if(flag MATCHES "^-Wl")
      check_linker_flag(C ${flag} ${has})
    else()
      check_c_compiler_flag(${flag} ${has})
    endif()
    if(${has})
      string(APPEND known "${flag} ")
    endif()
  endforeach()
  set(${out} "${known}" PARENT_SCOPE)
endfunction()

# Of CET the half that costs no instruction, and that Linux has for programs: the shadow stack. The C library's own
# objects may not be marked for it; they only call and return.
set(user_flags "${CMAKE_C_FLAGS}")
known_flags(flags -fstack-protector-strong -fstack-clash-protection -fcf-protection=return)
set(CMAKE_C_FLAGS "${flags}${user_flags}")
if(CMAKE_Fortran_COMPILER_ID STREQUAL CMAKE_C_COMPILER_ID) # gfortran and gcc know the same
  set(CMAKE_Fortran_FLAGS "${flags}${CMAKE_Fortran_FLAGS}")
endif()
set(FPAPI_SHADOW_STACK "")
if(flags MATCHES "cf-protection" AND NOT user_flags MATCHES "cf-protection")
  set(FPAPI_SHADOW_STACK -Wl,-z,shstk)
endif()
known_flags(flags -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack ${FPAPI_SHADOW_STACK})
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS "${flags}${CMAKE_${kind}_LINKER_FLAGS}")
endforeach()

# For what runs in every read, MPI call or block of instructions, which has no instruction to spare: there functions with
# arrays of characters alone are guarded, not those with arrays of numbers.
if(NOT user_flags MATCHES "stack-protector")
  known_flags(FPAPI_QUICK_FLAGS -fstack-protector)
  string(STRIP "${FPAPI_QUICK_FLAGS}" FPAPI_QUICK_FLAGS)
endif()
# Only where there is optimization, and not against the user's own word.
if(NOT user_flags MATCHES "FORTIFY_SOURCE")
  target_compile_options(fpapi_flags INTERFACE
    "$<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()
