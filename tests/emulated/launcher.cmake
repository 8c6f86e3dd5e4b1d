# SPDX-License-Identifier: BSD-3-Clause
# papi_emulate with a fake emulator: one test for each class of launcher_test.py
add_executable(fake_emulator fake_emulator.c)
target_include_directories(fake_emulator PRIVATE ${PROJECT_SOURCE_DIR}/src-c)
target_compile_definitions(fake_emulator PRIVATE _GNU_SOURCE)
target_link_libraries(fake_emulator PRIVATE fpapi_flags)

foreach(class IN ITEMS Program Signals Terminal Finding Options Report Fault)
  add_test(NAME emulated.launcher.${class}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/launcher_test.py
            $<TARGET_FILE:papi_emulate> $<TARGET_FILE:fake_emulator> ${class})
  set_tests_properties(emulated.launcher.${class} PROPERTIES TIMEOUT 1500 LABELS emulated)
endforeach()
