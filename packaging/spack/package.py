# SPDX-License-Identifier: BSD-3-Clause
import os

from spack.package import *


class Fpapi(CMakePackage):
    """Performance counters for Fortran and C: the PAPI interface over Linux perf_event.

    Programs written for PAPI 3 to 7 build and run with it. Beside the library there are its tools, an exact count in
    an emulator, and reports of MPI jobs.
    """

    # The tarball of a release, or of "git archive --prefix=fpapi-7.3.0/", in the current folder or in a mirror;
    # installed with --no-checksum as long as its sum is not here.
    manual_download = True
    url = f"file://{os.getcwd()}/fpapi-7.3.0.tar.gz"

    license("BSD-3-Clause")

    version("7.3.0")

    variant("fortran", default=True, description="Module papi, for the Fortran compiler")
    variant("mpi", default=False, description="Reports of MPI jobs, for this MPI")
    variant("static", default=True, description="libpapi.a, which contains libpfm4")
    variant("emulator", default=False, description="papi_emulate's plugin; it runs in the system's qemu-user")

    variant("profiler", default=True, description="papi_profile, which reads debug information by elfutils")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("python@3.7:", type="build")
    depends_on("libpfm4@4.13:")
    depends_on("hwloc@2:")
    depends_on("jansson", when="+mpi")
    depends_on("jansson", when="+profiler")
    depends_on("elfutils", when="+profiler")
    depends_on("mpi", when="+mpi")
    depends_on("capstone", when="+emulator")

    conflicts("platform=darwin", msg="fpapi counts with Linux perf_event")
    conflicts("platform=windows", msg="fpapi counts with Linux perf_event")

    def cmake_args(self):
        libraries = [self.spec[name].prefix.lib for name in ("libpfm4", "hwloc")]
        args = [
            self.define_from_variant("FPAPI_FORTRAN", "fortran"),
            self.define_from_variant("FPAPI_STATIC", "static"),
            self.define("FPAPI_MPI_COMPILERS", self.spec["mpi"].mpicc if "+mpi" in self.spec else "none"),
            # Opened when they are needed, so that no linker names them.
            self.define("CMAKE_INSTALL_RPATH", libraries),
        ]
        if "~emulator" in self.spec:
            args.append(self.define("CAPSTONE_LIBRARY", ""))
        if "~profiler" in self.spec:
            args.append(self.define("DW_LIBRARY", ""))
        if "~mpi~profiler" in self.spec:
            args.append(self.define("JANSSON_LIBRARY", ""))
        # papi_exporter is a service of the system's, built with the system's package.
        args.append(self.define("MICROHTTPD_LIBRARY", ""))
        return args

    def setup_run_environment(self, env):
        env.set("PAPI_ROOT", self.prefix)
