# SPDX-License-Identifier: BSD-3-Clause
set(CMAKE_SYSTEM_PROCESSOR loongarch64)
set(CMAKE_LIBRARY_ARCHITECTURE loongarch64-linux-gnu)
set(compiler loongarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
