# SPDX-License-Identifier: BSD-3-Clause
# What the toolchain files of other architectures share. Before it, they set
#   CMAKE_SYSTEM_PROCESSOR       as uname -m says there
#   CMAKE_LIBRARY_ARCHITECTURE   where Multi-Arch packages have libraries
#   compiler                     how the names of Debian's and Ubuntu's cross compilers begin
# FPAPI_SYSROOT is where tests/node/fetch.sh -a ARCHITECTURE unpacked the libraries; installed Multi-Arch packages work, too.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${compiler}-gcc)
set(CMAKE_Fortran_COMPILER ${compiler}-gfortran)
set(FPAPI_SYSROOT "" CACHE PATH "Unpacked packages of the architecture")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FPAPI_SYSROOT)
set(CMAKE_FIND_ROOT_PATH ${FPAPI_SYSROOT} /usr/${compiler})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
