# SPDX-License-Identifier: BSD-3-Clause
# Debian's and Ubuntu's cross compiler. FPAPI_SYSROOT is where tests/node/fetch.sh unpacked the arm64
# libraries; installed Multi-Arch packages work, too.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_Fortran_COMPILER aarch64-linux-gnu-gfortran)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(FPAPI_SYSROOT "" CACHE PATH "Unpacked arm64 packages")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FPAPI_SYSROOT)
set(CMAKE_FIND_ROOT_PATH ${FPAPI_SYSROOT} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
