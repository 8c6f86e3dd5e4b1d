# SPDX-License-Identifier: BSD-3-Clause
# fpapi_test(NAME LABELS COMMAND... [PROPERTIES NAME VALUE...]): a test, which says by status 77 that it cannot run here,
# and has 25 minutes, so that it does not fail where the machine is busy.
function(fpapi_test name labels)
  cmake_parse_arguments(PARSE_ARGV 2 test "" "" "PROPERTIES")
  add_test(NAME ${name} COMMAND ${test_UNPARSED_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1500 LABELS "${labels}" ${test_PROPERTIES})
endfunction()

# fpapi_script(NAME LABELS SCRIPT.py ARGUMENT... [CASES CASE...] [PROPERTIES NAME VALUE...]): a test in Python, or one for
# each of the cases, which then stand for {} in its name and arguments.
function(fpapi_script name labels script)
  cmake_parse_arguments(PARSE_ARGV 3 with "" "" "CASES;PROPERTIES")
  if(NOT with_CASES AND NOT name MATCHES "{}")
    set(with_CASES none)
  endif()
  foreach(case IN LISTS with_CASES)
    string(REPLACE "{}" ${case} file ${script})
    get_filename_component(file ${file} ABSOLUTE)
    string(REPLACE "{}" ${case} arguments "${with_UNPARSED_ARGUMENTS}")
    string(REPLACE "{}" ${case} test ${name})
    fpapi_test(${test} "${labels}" Python3::Interpreter -B ${file} ${arguments} PROPERTIES ${with_PROPERTIES})
  endforeach()
endfunction()

# fpapi_node_test(NAME LABELS KIND SCRIPT.py ARGUMENT... [CASES CASE...]): a script reads what the programs of an emulated node printed, which
# node.boot or node.KIND.boot has run.
function(fpapi_node_test name labels kind script)
  set(fixture node.${kind})
  set(results ${PROJECT_BINARY_DIR}/tests/node/${kind})
  if(kind STREQUAL "arm64")
    set(fixture node)
    set(results ${PROJECT_BINARY_DIR}/tests/node/results)
  endif()
  fpapi_script(${name} "${labels}" ${script} ${results} ${ARGN} PROPERTIES FIXTURES_REQUIRED ${fixture})
endfunction()

# fpapi_cases(OUT SCRIPT.py [ARGUMENT...]): the lines that the script prints; CMake looks again when it changes.
function(fpapi_cases out script)
  get_filename_component(script ${script} ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${script} ${ARGN} OUTPUT_VARIABLE cases COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" cases "${cases}")
  set(${out} ${cases} PARENT_SCOPE)
endfunction()

# fpapi_sections(OUT FILE.ini): the names of its sections.
function(fpapi_sections out file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} sections REGEX "^\\[.*\\]$")
  if(NOT sections)
    message(FATAL_ERROR "${file} has no cases")
  endif()
  list(TRANSFORM sections REPLACE "[][]" "")
  set(${out} ${sections} PARENT_SCOPE)
endfunction()

# fpapi_settings(OUT NAME VALUE...): a file of JSON with texts for scripts. A name that ends in ":" has a value that is
# JSON already.
function(fpapi_settings out)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${out}.$<CONFIG>.json)
  set(members "")
  math(EXPR last "${ARGC} - 1")
  foreach(at RANGE 1 ${last} 2)
    math(EXPR value "${at} + 1")
    string(REGEX REPLACE ":$" "" name "${ARGV${at}}")
    if(NOT name STREQUAL "${ARGV${at}}")
      list(APPEND members "  \"${name}\": ${ARGV${value}}")
    else()
      list(APPEND members "  \"${name}\": \"${ARGV${value}}\"")
    endif()
  endforeach()
  list(JOIN members ",\n" members)
  file(GENERATE OUTPUT ${file} CONTENT "{\n${members}\n}\n")
  set(${out} ${file} PARENT_SCOPE)
endfunction()

# fpapi_file_of(OUT TARGET...): the file of the first target, or nothing where one of them is not built.
function(fpapi_file_of out target)
  set(file $<TARGET_FILE:${target}>)
  foreach(needed IN LISTS target ARGN)
    if(NOT TARGET ${needed})
      set(file "")
    endif()
  endforeach()
  set(${out} "${file}" PARENT_SCOPE)
endfunction()

# fpapi_label(LABEL BEGINNING...): labels the tests of this directory whose names begin so. ./check goes by them:
#   seldom         ./check --all alone: repeats another test on one more node, compiler, launcher or form of a call, or
#                  at random for longer, or takes longest of its kind
#   long           not without --full: looks at the sources, or takes longest in its folder
#   no-sanitizers  finds nothing else in a build with sanitizers, or is too large for it
function(fpapi_label label)
  get_property(names DIRECTORY PROPERTY TESTS)
  foreach(beginning IN LISTS ARGN)
    string(REPLACE "." "[.]" expression "^${beginning}")
    foreach(name IN LISTS names)
      if(name MATCHES "${expression}")
        set_property(TEST ${name} APPEND PROPERTY LABELS ${label})
      endif()
    endforeach()
  endforeach()
endfunction()
