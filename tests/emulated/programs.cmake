# SPDX-License-Identifier: BSD-3-Clause
# The programs that are counted. The arm64 build has them too, for the host's papi_emulate.
# -z now: else a function's first call counts the dynamic linker's search for it.
add_library(emulated_program INTERFACE)
target_compile_definitions(emulated_program INTERFACE _GNU_SOURCE)
target_link_libraries(emulated_program INTERFACE fpapi_flags)
target_link_options(emulated_program INTERFACE -Wl,-z,now)

# ---- Fortran: the loops in each precision and with each set of flags
set(EMULATED_FLAGS_O0 -O0)
set(EMULATED_FLAGS_O2 -O2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(EMULATED_FLAGS_O3 -O3 -mavx2 -mfma)
else() # whose plainest processors have vectors and fused multiply-adds
  set(EMULATED_FLAGS_O3 -O3)
endif()
foreach(flags IN ITEMS O0 O2 O3)
  foreach(bits IN ITEMS 32 64)
    set(name emulated_kernels_${flags}_real${bits})
    add_executable(${name} kernels.F90 complex_product.F90)
    set_target_properties(${name} PROPERTIES
      Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/modules/${name})
    target_compile_definitions(${name} PRIVATE REAL_KIND=real${bits})
    # Behind those of the build type: the last -O counts.
    target_compile_options(${name} PRIVATE ${EMULATED_FLAGS_${flags}})
    target_link_libraries(${name} PRIVATE papi_fortran emulated_program)
  endforeach()
endforeach()
set_source_files_properties(complex_product.F90 PROPERTIES
  COMPILE_OPTIONS "$<$<Fortran_COMPILER_ID:GNU>:-fno-tree-vectorize;-fno-tree-slp-vectorize>")

# Not the arm64 build: of its packages none is a BLAS.
if(NOT CMAKE_CROSSCOMPILING)
  find_library(EMULATED_BLAS NAMES blas openblas)
endif()
if(EMULATED_BLAS)
  add_executable(emulated_blas blas.f90)
  target_link_libraries(emulated_blas PRIVATE papi_fortran emulated_program ${EMULATED_BLAS})
endif()

# ---- C
add_library(emulated_measure STATIC measure.c operations_loop.c)
target_link_libraries(emulated_measure PUBLIC c_testing emulated_program)
target_include_directories(emulated_measure PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
foreach(name IN ITEMS instructions overflow simulated component inherited)
  add_executable(emulated_${name} test_${name}.c)
  target_link_libraries(emulated_${name} PRIVATE emulated_measure Threads::Threads)
endforeach()
add_executable(emulated_processes processes.c operations_loop.c)
target_link_libraries(emulated_processes PRIVATE papi emulated_program Threads::Threads)
find_package(OpenMP COMPONENTS C)
if(OpenMP_C_FOUND)
  add_executable(emulated_threads threads.c operations_loop.c)
  target_link_libraries(emulated_threads PRIVATE papi emulated_program OpenMP::OpenMP_C)
endif()
# With the first MPI that there is.
set(EMULATED_MPIRUN)
if(papi_mpi_flavours AND NOT CMAKE_CROSSCOMPILING)
  list(GET papi_mpi_flavours 0 flavour)
  set(EMULATED_MPIRUN ${MPI_${flavour}_RUN})
endif()
if(EMULATED_MPIRUN)
  add_executable(emulated_ranks ranks.c operations_loop.c)
  target_include_directories(emulated_ranks SYSTEM PRIVATE ${MPI_${flavour}_INCLUDES})
  target_link_libraries(emulated_ranks PRIVATE papi emulated_program ${MPI_${flavour}_LINK})
endif()
