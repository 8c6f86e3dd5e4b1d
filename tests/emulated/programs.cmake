# SPDX-License-Identifier: BSD-3-Clause
# The programs that are counted. The arm64 build has them too, for the host's papi_emulate.
# -z now: else a function's first call counts the dynamic linker's search for it.
# As most programs are linked, emulated_lazy: a function is looked for when it is called first.
add_library(emulated_program INTERFACE)
target_link_options(emulated_program INTERFACE -Wl,-z,now)
add_library(emulated_lazy INTERFACE)
target_link_options(emulated_lazy INTERFACE -Wl,-z,lazy)

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
    fpapi_program(${name} kernels.F90 complex_product.F90 DEFINE REAL_KIND=real${bits}
      OPTIONS ${EMULATED_FLAGS_${flags}} LINK papi_fortran emulated_program)
  endforeach()
endforeach()
set_source_files_properties(complex_product.F90 PROPERTIES
  COMPILE_OPTIONS "$<$<Fortran_COMPILER_ID:GNU>:-fno-tree-vectorize;-fno-tree-slp-vectorize>")

# Not the arm64 build: of its packages none is a BLAS.
if(NOT CMAKE_CROSSCOMPILING)
  find_library(EMULATED_BLAS NAMES blas openblas)
endif()
if(EMULATED_BLAS)
  fpapi_program(emulated_blas blas.f90 LINK papi_fortran emulated_program ${EMULATED_BLAS})
endif()

# ---- C
fpapi_library(emulated_measure STATIC measure.c operations_loop.c
  PUBLIC_LINK c_testing emulated_program PUBLIC_INCLUDE ${CMAKE_CURRENT_SOURCE_DIR})
foreach(name IN ITEMS instructions overflow simulated component inherited cycles handlers)
  fpapi_program(emulated_${name} test_${name}.c LINK emulated_measure Threads::Threads ${CMAKE_DL_LIBS})
endforeach()
target_include_directories(emulated_instructions PRIVATE ${PROJECT_SOURCE_DIR}/src-c)
fpapi_program(emulated_first first.c LINK papi emulated_lazy Threads::Threads)
fpapi_program(emulated_first_reading first_reading.f90 LINK papi_fortran emulated_lazy)
fpapi_program(emulated_roofline test_roofline.c LINK emulated_measure papi_roofline_kernels)
fpapi_program(emulated_metrics metrics.c LINK emulated_measure)
fpapi_program(emulated_processes processes.c operations_loop.c LINK papi emulated_program Threads::Threads)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  fpapi_program(emulated_processor processor.c LINK emulated_program)
endif()
# With each sanitizer that the compiler has a run time of.
if(NOT CMAKE_CROSSCOMPILING AND NOT FPAPI_SANITIZE)
  include(CheckCSourceCompiles)
  foreach(sanitizer IN ITEMS address thread leak undefined)
    set(CMAKE_REQUIRED_FLAGS -fsanitize=${sanitizer})
    check_c_source_compiles("int main(void) { return 0; }" EMULATED_HAS_${sanitizer})
    if(EMULATED_HAS_${sanitizer})
      fpapi_program(emulated_sanitized_${sanitizer} sanitized.c OPTIONS -fsanitize=${sanitizer}
        LINK emulated_program Threads::Threads -fsanitize=${sanitizer})
    endif()
  endforeach()
  set(CMAKE_REQUIRED_FLAGS)
endif()
find_package(OpenMP COMPONENTS C)
if(OpenMP_C_FOUND)
  fpapi_program(emulated_threads threads.c operations_loop.c LINK papi emulated_program OpenMP::OpenMP_C)
endif()
# With the first MPI that there is.
set(EMULATED_MPIRUN)
if(papi_mpi_flavours AND NOT CMAKE_CROSSCOMPILING)
  list(GET papi_mpi_flavours 0 flavour)
  set(EMULATED_MPIRUN ${MPI_${flavour}_RUN})
endif()
if("openmpi" IN_LIST papi_mpi_flavours AND NOT CMAKE_CROSSCOMPILING)
  fpapi_program(emulated_messages messages.c SYSTEM ${MPI_openmpi_INCLUDES} LINK emulated_program ${MPI_openmpi_LINK})
endif()
if(EMULATED_MPIRUN)
  fpapi_program(emulated_ranks ranks.c operations_loop.c
    SYSTEM ${MPI_${flavour}_INCLUDES} LINK papi emulated_program ${MPI_${flavour}_LINK})
endif()
