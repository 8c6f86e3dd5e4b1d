# SPDX-License-Identifier: BSD-3-Clause
"""The programs of bench/gate_changes, bench/gate_variance and bench/gate_model: which files of a Debian source package they are made of, and how."""
import dataclasses
import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = ROOT / "bench" / "gate_programs"
ENDINGS = {"gcc": (".c",), "g++": (".cpp", ".cc"), "gfortran": (".f", ".f90")}


@dataclasses.dataclass(frozen=True)
class Package:
    name: str
    folder: str  # of the sources, as a pattern
    parts: tuple  # patterns of its files
    own: str  # our part, with main
    compiler: str
    flags: tuple
    needed: tuple  # sources that are compiled, without ours

    @property
    def endings(self):
        return ENDINGS[self.compiler]

    @property
    def sources(self):
        return (*self.needed, self.own)

    def find(self, place):
        return next(iter(sorted(place.glob(self.folder))), None)

    def copy(self, place, to):
        for pattern in self.parts:
            for path in sorted(self.find(place).glob(pattern)):
                shutil.copy(path, to)
        for name in (self.own, "text.h", "tridiagonal.inc"):
            shutil.copy(OWN / name, to)


def files(stems, ending):
    return tuple(f"{stem}{ending}" for stem in stems.split())


PACKAGES = {package.name: package for package in (
    Package("zlib", "zlib-*/", ("*.[ch]",), "flate.c", "gcc", ("-O3",), files("adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil", ".c")),
    Package("bzip2", "bzip2-*/", ("*.[ch]",), "sort.c", "gcc", ("-O2", "-DBZ_NO_STDIO"),
            files("blocksort huffman crctable randtable compress decompress bzlib", ".c")),
    Package("xxhash", "xxhash-*/", ("*.[ch]",), "hash.c", "gcc", ("-O2",), ("xxhash.c",)),
    Package("tinyxml2", "tinyxml2-*/", ("tinyxml2.*",), "markup.cc", "g++", ("-O2",), ("tinyxml2.cpp",)),
    Package("minpack", "minpack-*/", ("*.f",), "equations.f90", "gfortran", ("-O2", "-std=legacy", "-w"),
            files("dogleg dpmpar enorm fdjac1 fdjac2 hybrd hybrd1 lmdif lmdif1 lmpar qform qrfac qrsolv r1mpyq r1updt", ".f")),
    Package("lapack", "lapack-*/", ("BLAS/SRC/*.f", "SRC/dget*.f", "SRC/dlaswp.f", "INSTALL/dlamch.f"), "linear.f90", "gfortran", ("-O3", "-std=legacy", "-w"),
            files("dgemm dtrsm dscal idamax lsame xerbla dgetrf2 dgetrs dlaswp dlamch", ".f")),
)}
