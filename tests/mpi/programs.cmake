# SPDX-License-Identifier: BSD-3-Clause
# Of one MPI: of FLAVOUR, or without it of the one that the caller's loop over papi_mpi_flavours calls flavour.
# mpi_program(NAME [FLAVOUR flavour] SOURCES file... [LINKED] [PAPI] [FLAGS flag...] [LIBRARIES flag...])
#   builds NAME in the current binary folder (target build_NAME) with that MPI's own compiler wrapper, as users do:
#   C or, where the first source is one, Fortran. LINKED: the wrapper library is linked before the MPI libraries. PAPI: it calls
#   libpapi, too.
# mpi_test(NAME [FLAVOUR flavour] SCRIPT file ARGUMENTS text... [TIMEOUT seconds] [PROCESSORS number] [CASES text...])
#   the CTest NAME: Python runs the script, which finds mpirun.py, with the settings of the flavour in its
#   environment and the arguments. ./NAME among them is what mpi_program builds in the current binary folder; in Fortran,
#   it is left out where this MPI has no compiler.
#   CASES, which come last: a test for each, for which {} stands in its name and arguments.
set(MPI_TESTS_DIR ${CMAKE_CURRENT_LIST_DIR})

function(mpi_program name)
  cmake_parse_arguments(program "LINKED;PAPI" "FLAVOUR" "SOURCES;FLAGS;LIBRARIES" ${ARGN})
  if(program_FLAVOUR)
    set(flavour ${program_FLAVOUR})
  endif()
  set(sources ${program_SOURCES})
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  list(GET sources 0 first)
  if(first MATCHES "\\.c$")
    set(compiler ${MPI_${flavour}_CC})
    set(flags -std=gnu11 -Wall -Wextra)
  else()
    set(compiler ${MPI_${flavour}_FC})
    if(NOT compiler)
      return()
    endif()
    # Modules of two programs that are built at the same time must not meet.
    set(modules ${CMAKE_CURRENT_BINARY_DIR}/${name}.modules)
    file(MAKE_DIRECTORY ${modules})
    set(flags -J${modules})
  endif()
  # The library folder of the C compiler's wrapper: Debian's mpif90.openmpi leaves it out, and finds whichever
  # MPI the alternatives name.
  set(folders ${MPI_${flavour}_LINK})
  list(FILTER folders INCLUDE REGEX "^-L")
  set(wrapper "")
  if(program_LINKED)
    set(wrapper $<TARGET_FILE:papi_mpi_${flavour}> -Wl,-rpath,$<TARGET_FILE_DIR:papi_mpi_${flavour}>
      -Wl,-rpath,$<TARGET_FILE_DIR:papi> -Wl,-rpath-link,$<TARGET_FILE_DIR:papi>)
  endif()
  if(program_PAPI)
    list(APPEND flags -I${PROJECT_SOURCE_DIR}/src-c/include -I${FPAPI_GENERATED_DIR})
    list(APPEND wrapper $<TARGET_FILE:papi> -Wl,-rpath,$<TARGET_FILE_DIR:papi>)
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name})
  add_custom_command(OUTPUT ${output}
    COMMAND ${compiler} -O1 -g ${flags} ${program_FLAGS} ${sources} -o ${output} ${wrapper} ${program_LIBRARIES} ${folders}
    DEPENDS ${sources} papi_mpi_${flavour} VERBATIM COMMENT "${name} (${flavour})")
  # Not of the same name: with Ninja that would be the file itself once more.
  add_custom_target(build_${name} ALL DEPENDS ${output})
  if(program_PAPI) # before it, and not again when it changes
    add_dependencies(build_${name} papi)
  endif()
endfunction()

function(mpi_one_test name)
  cmake_parse_arguments(test "" "FLAVOUR;SCRIPT;TIMEOUT;PROCESSORS" "ARGUMENTS;CONFIGURATIONS" ${ARGN})
  if(test_FLAVOUR)
    set(flavour ${test_FLAVOUR})
  endif()
  set(configurations "")
  if(test_CONFIGURATIONS)
    set(configurations CONFIGURATIONS ${test_CONFIGURATIONS})
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 1500)
  endif()
  get_filename_component(script ${test_SCRIPT} ABSOLUTE)
  set(arguments "")
  foreach(argument IN LISTS test_ARGUMENTS)
    if(argument MATCHES "^[.]/(.*)")
      set(argument ${CMAKE_CURRENT_BINARY_DIR}/${CMAKE_MATCH_1})
      if(NOT TARGET build_${CMAKE_MATCH_1} AND NOT MPI_${flavour}_FC)
        continue()
      elseif(NOT TARGET build_${CMAKE_MATCH_1})
        message(FATAL_ERROR "${name}: nothing builds ${argument}")
      endif()
    endif()
    list(APPEND arguments ${argument})
  endforeach()
  add_test(NAME ${name} ${configurations} COMMAND Python3::Interpreter -B ${script} ${arguments})
  if(test_PROCESSORS)
    set_tests_properties(${name} PROPERTIES PROCESSORS ${test_PROCESSORS})
  endif()
  fpapi_file_of(report papi_mpi_report)
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${test_TIMEOUT} LABELS mpi ENVIRONMENT
    "PYTHONPATH=${MPI_TESTS_DIR};MPI_FLAVOUR=${flavour};MPI_RUN=${MPI_${flavour}_RUN};MPI_WRAPPER=$<TARGET_FILE:papi_mpi_${flavour}>;MPI_REPORT=${report}")
endfunction()

function(mpi_test)
  cmake_parse_arguments(each "" "" "CASES" ${ARGN})
  if(NOT each_CASES)
    set(each_CASES none)
  endif()
  foreach(case IN LISTS each_CASES)
    string(REPLACE "{}" ${case} arguments "${each_UNPARSED_ARGUMENTS}")
    mpi_one_test(${arguments})
  endforeach()
endfunction()
