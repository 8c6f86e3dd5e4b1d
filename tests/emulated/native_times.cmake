# SPDX-License-Identifier: BSD-3-Clause
# papi_emulate --native-times
add_executable(emulated_native_times native_times.c)
target_compile_definitions(emulated_native_times PRIVATE _GNU_SOURCE)
target_link_libraries(emulated_native_times PRIVATE papi fpapi_flags Threads::Threads)
fpapi_test(emulated.native_times emulated ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/native_times_test.py
  $<TARGET_FILE:papi_emulate> $<TARGET_FILE:emulated_native_times>)
