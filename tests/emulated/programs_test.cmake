# SPDX-License-Identifier: BSD-3-Clause
# The tests of what is counted, emulated.<name>; those of the arm64 build's programs, emulated.arm64.<name>,
# run in the host's emulator and skip where there is no such build.
set(EMULATED_PLUGIN ${PROJECT_BINARY_DIR}/plugin/libpapi_emulator.so)
set(EMULATED_DRIVER ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/emulated_test.py
  --tool $<TARGET_FILE:papi_emulate> --plugin ${EMULATED_PLUGIN}
  --presets ${PROJECT_SOURCE_DIR}/presets/emulated.csv)

function(emulated_test name)
  fpapi_test(emulated.${name} emulated ${EMULATED_DRIVER} --programs ${CMAKE_BINARY_DIR} ${ARGN})
endfunction()

# For both architectures. Behind node.boot, where that builds the programs.
function(emulated_test_of_both name)
  emulated_test(${name} ${ARGN})
  fpapi_test(emulated.arm64.${name} emulated ${EMULATED_DRIVER} --programs ${FPAPI_NODE_BUILD} --guest aarch64 ${ARGN})
  set_tests_properties(emulated.arm64.${name} PROPERTIES DEPENDS node.boot)
endfunction()

foreach(flags IN ITEMS O0 O2 O3)
  foreach(bits IN ITEMS 32 64)
    emulated_test_of_both(kernels.${flags}.real${bits} program kernels_${flags}_real${bits})
  endforeach()
endforeach()
foreach(name IN ITEMS instructions overflow component inherited handlers first first_reading)
  emulated_test_of_both(${name} program ${name})
endforeach()
foreach(name IN ITEMS caches cycles threads processes same_counts interrupted metrics roofline)
  emulated_test_of_both(${name} ${name})
endforeach()
emulated_test(outside outside)
emulated_test(shell shell)
emulated_test(sanitized sanitized)
if(TARGET emulated_processor)
  emulated_test(processor processor)
endif()
if(TARGET emulated_messages)
  emulated_test(messages messages ${MPI_openmpi_RUN})
  set_tests_properties(emulated.messages PROPERTIES PROCESSORS 2)
endif()
emulated_test(papi_avail papi_avail $<TARGET_FILE:papi_avail>)

# Of 2 x 10^6 operations and 10^6, each 10^4th interrupts.
emulated_test(example.overflow example $<TARGET_FILE:overflow>
  "interrupts, one for PAPI_DP_OPS x 10000" "triad 200" "dot 100" "other 0")
# 1500 x 1500 additions, each way.
emulated_test(example.event_set example $<TARGET_FILE:event_set> "PAPI_FP_OPS 2250000 2250000" "sum 2250000.0 2250000.0")

emulated_test(blas blas)
file(GLOB EMULATED_OPENBLAS /usr/lib/*/openblas-*/libblas.so.3)
foreach(library IN LISTS EMULATED_OPENBLAS)
  string(REGEX REPLACE ".*/(openblas-[a-z]+)/.*" "\\1" name ${library})
  emulated_test(${name} openblas ${library})
endforeach()
if(EMULATED_MPIRUN)
  emulated_test(ranks.each ranks ${EMULATED_MPIRUN} each)
  emulated_test(ranks.whole ranks ${EMULATED_MPIRUN} whole)
  set_tests_properties(emulated.ranks.each emulated.ranks.whole PROPERTIES PROCESSORS 2)
endif()
