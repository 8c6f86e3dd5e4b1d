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
fpapi_library(tsan_papi OBJECT ${CMAKE_CURRENT_LIST_DIR}/testing.c ${sources} NEEDS papi_objects
  PUBLIC_INCLUDE ${CMAKE_CURRENT_LIST_DIR} ${CMOCKA_INCLUDE_DIR} $<TARGET_PROPERTY:papi_objects,INCLUDE_DIRECTORIES>
  PUBLIC_LINK fpapi_flags ${CMOCKA_LIBRARY} ${PFM_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS})
target_compile_definitions(tsan_papi PUBLIC $<TARGET_PROPERTY:papi_objects,COMPILE_DEFINITIONS>)
target_compile_options(tsan_papi PUBLIC -fsanitize=thread -O1)
target_link_options(tsan_papi PUBLIC -fsanitize=thread)

# The test tsan.NAME of some sources.
function(tsan_test name)
  fpapi_program(test_tsan_${name} ${ARGN} LINK tsan_papi)
  # exitcode: what a cmocka program cannot return by itself. report_signal_unsafe: handlers of overflows may
  # call what frees memory, where they have not interrupted malloc (PAPI_overflow); nothing else is left out.
  fpapi_test(tsan.${name} "tsan;no-memcheck" test_tsan_${name}
    PROPERTIES ENVIRONMENT "TSAN_OPTIONS=halt_on_error=0:exitcode=66:report_signal_unsafe=0")
endfunction()
