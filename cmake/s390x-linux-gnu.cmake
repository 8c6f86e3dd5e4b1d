# SPDX-License-Identifier: BSD-3-Clause
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_LIBRARY_ARCHITECTURE s390x-linux-gnu)
set(compiler s390x-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
