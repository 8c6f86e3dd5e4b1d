# SPDX-License-Identifier: BSD-3-Clause
# The library's own sources once more, under ThreadSanitizer, and the programs that are linked with them.
# FPAPI_HAS_TSAN says whether there are any.
if(NOT CMAKE_CROSSCOMPILING AND NOT FPAPI_SANITIZE)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
  check_c_source_compiles("int main(void) { return 0; }" FPAPI_HAS_TSAN)
  unset(CMAKE_REQUIRED_FLAGS)
endif()
if(NOT FPAPI_HAS_TSAN)
  return()
endif()

get_target_property(sources papi_objects SOURCES)
set_source_files_properties(${FPAPI_SYMBOL_SOURCES} ${FPAPI_PRESET_SOURCES} PROPERTIES GENERATED TRUE)
add_library(tsan_papi OBJECT ${CMAKE_CURRENT_LIST_DIR}/testing.c ${sources})
add_dependencies(tsan_papi papi_objects)
target_include_directories(tsan_papi PUBLIC
  ${CMAKE_CURRENT_LIST_DIR} ${CMOCKA_INCLUDE_DIR} $<TARGET_PROPERTY:papi_objects,INCLUDE_DIRECTORIES>)
target_compile_definitions(tsan_papi PUBLIC $<TARGET_PROPERTY:papi_objects,COMPILE_DEFINITIONS>)
target_compile_options(tsan_papi PUBLIC -fsanitize=thread -O1)
target_link_options(tsan_papi PUBLIC -fsanitize=thread)
target_link_libraries(tsan_papi PUBLIC
  fpapi_flags ${CMOCKA_LIBRARY} ${PFM_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS})

# The test tsan.NAME of some sources.
function(tsan_test name)
  add_executable(test_tsan_${name} ${ARGN})
  target_link_libraries(test_tsan_${name} PRIVATE tsan_papi)
  add_test(NAME tsan.${name} COMMAND test_tsan_${name})
  # exitcode: what a cmocka program cannot return by itself. report_signal_unsafe: handlers of overflows may
  # call what frees memory, where they have not interrupted malloc (PAPI_overflow); nothing else is left out.
  set_tests_properties(tsan.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1500 LABELS "tsan;no-memcheck"
    ENVIRONMENT "TSAN_OPTIONS=halt_on_error=0:exitcode=66:report_signal_unsafe=0")
endfunction()
