# SPDX-License-Identifier: BSD-3-Clause
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_LIBRARY_ARCHITECTURE i386-linux-gnu)
set(compiler i686-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
# The programs of the build run on this machine. They find the unpacked libraries, which find each other there.
set(CMAKE_BUILD_RPATH ${FPAPI_SYSROOT}/usr/lib/i386-linux-gnu ${FPAPI_SYSROOT}/lib/i386-linux-gnu /usr/i686-linux-gnu/lib)
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--disable-new-dtags)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -Wl,--disable-new-dtags)
