#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
set -e
cmake -S . -B build-conda -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_INSTALL_RPATH="$PREFIX/lib" -DFPAPI_MPI_COMPILERS=none -DFPAPI_PYTHON_DIR="$SP_DIR"
cmake --build build-conda
cmake --install build-conda
