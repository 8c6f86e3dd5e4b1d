# SPDX-License-Identifier: BSD-3-Clause
# What the build needs: compilers, libpfm4, hwloc's header, Python. What is missing is named with its package.
include(CheckLanguage)

# required(WHAT USE PACKAGE...): the build ends with a sentence.
function(required what use)
  list(JOIN ARGN " " packages)
  message(FATAL_ERROR "${what} was not found. ${use}\nDebian and Ubuntu: apt-get install ${packages}")
endfunction()

if(NOT CMAKE_C_COMPILER)
  check_language(C)
  if(NOT CMAKE_C_COMPILER)
    unset(CMAKE_C_COMPILER CACHE) # so that the next try looks again
    required("A working C compiler" "Elsewhere, name it with CC=... or -DCMAKE_C_COMPILER=..." gcc libc6-dev)
  endif()
endif()
enable_language(C)

# Without a Fortran compiler there are still the headers of older codes and the PAPIF_ symbols, which C makes.
if(FPAPI_FORTRAN)
  if(NOT CMAKE_Fortran_COMPILER)
    check_language(Fortran)
  endif()
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
  else()
    unset(CMAKE_Fortran_COMPILER CACHE)
    set(FPAPI_FORTRAN OFF)
    message(STATUS "No Fortran compiler (gfortran): module papi and the examples in Fortran are left out")
  endif()
endif()
if(FPAPI_TESTS AND NOT FPAPI_FORTRAN)
  required("A Fortran compiler" "The tests need one; -DFPAPI_TESTS=OFF builds the library without." gfortran)
endif()

# Only the build runs it: the generators.
find_package(Python3 3.7 QUIET COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
  required("Python 3.7 or newer" "Elsewhere, name it with -DPython3_EXECUTABLE=..." python3)
endif()
find_package(Threads REQUIRED)
find_path(PFM_INCLUDE_DIR perfmon/pfmlib_perf_event.h)
find_library(PFM_LIBRARY pfm)
if(NOT PFM_INCLUDE_DIR OR NOT PFM_LIBRARY)
  required("libpfm4, with perfmon/pfmlib_perf_event.h," "Elsewhere, set PFM_INCLUDE_DIR and PFM_LIBRARY." libpfm4-dev)
endif()
find_path(HWLOC_INCLUDE_DIR hwloc.h) # the header alone: the library is opened when needed
if(NOT HWLOC_INCLUDE_DIR)
  required("hwloc.h" "Elsewhere, set HWLOC_INCLUDE_DIR." libhwloc-dev)
endif()

# How users of the library name libpfm4: its path only where the linker would not look (and never that
# of another machine's files here).
get_filename_component(pfm_dir ${PFM_LIBRARY} DIRECTORY)
set(FPAPI_PFM_LINK ${PFM_LIBRARY})
if(CMAKE_CROSSCOMPILING OR pfm_dir IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  set(FPAPI_PFM_LINK pfm)
endif()
# libpfm4's own archive becomes a part of libpapi.a, which then is all that a program is linked with.
set(pfm_archive ${pfm_dir}/libpfm.a)
set(exists OFF)
if(EXISTS ${pfm_archive})
  set(exists ON)
endif()
option(FPAPI_PFM_ARCHIVE "libpapi.a contains libpfm4" ${exists})
if(FPAPI_PFM_ARCHIVE AND NOT exists)
  required("${pfm_archive}" "FPAPI_PFM_ARCHIVE asks for it." libpfm4-dev)
endif()
