# SPDX-License-Identifier: BSD-3-Clause
# fpapi_test(NAME LABELS COMMAND...): a test, which says by status 77 that it cannot run here, and has 25 minutes, so that
# it does not fail where the machine is busy.
function(fpapi_test name labels)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1500 LABELS "${labels}")
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
