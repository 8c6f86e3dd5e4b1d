# SPDX-License-Identifier: BSD-3-Clause
# The same sources make the same bytes, wherever they and the build are: no path of either is in what is built. A
# debugger that is started in the source folder still finds the sources.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
foreach(language IN ITEMS C Fortran)
  if(CMAKE_${language}_COMPILER_ID MATCHES "^(GNU|Clang)$")
    target_compile_options(fpapi_flags INTERFACE # of two that fit, the last one counts
      $<$<COMPILE_LANGUAGE:${language}>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.;-ffile-prefix-map=${PROJECT_BINARY_DIR}=./build>)
  endif()
endforeach()
