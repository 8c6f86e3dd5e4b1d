# SPDX-License-Identifier: BSD-3-Clause
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(CMAKE_LIBRARY_ARCHITECTURE riscv64-linux-gnu)
set(compiler riscv64-linux-gnu)
# Its libraries are of the Debian release after that of the compiler, and need a newer C library than the compiler has.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--allow-shlib-undefined)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
