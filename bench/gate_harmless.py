# SPDX-License-Identifier: BSD-3-Clause
"""Changes of the sources of bench/gate_changes that change nothing in what the programs do."""
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Harmless:
    package: str
    title: str
    change: object = None  # of a text; None: nothing changes but the folder
    files: str = ""  # pattern
    folder: str = ""
    emulated: bool = False

    def apply(self, folder):
        paths = sorted(folder.glob(self.files)) if self.files else []
        texts = [path.read_text("utf-8", "surrogateescape") for path in paths]
        changed = [self.change(text) for text in texts]
        if self.change and changed == texts:
            raise RuntimeError(f"{self.package}, {self.title}: nothing changes")
        for path, text in zip(paths, changed):
            path.write_text(text, "utf-8", "surrogateescape")


def names(**pairs):
    """Other names for words."""
    return lambda text: re.sub(r"\b(?:" + "|".join(pairs) + r")\b", lambda found: pairs[found.group(0)], text)


def noted(text):
    """Comments and empty lines behind statements, and at the beginning."""
    return "/* a note\n   of two lines */\n\n" + re.sub(r"(?<=;)\n(?!.*\\\n)", "\n\n// a note\n", text)


def noted_fortran(text):
    return "c     a note\nc\n" + re.sub(r"\n(?=      [^*\n]* = )", "\nc     a note\n", text)


def other_style(text):
    """Braces on lines of their own, and deeper indents; macros stay."""
    text = re.sub(r"(?m)^(?!.*\\$)([ \t]*)(?=\S)([^/#'\"\n]*[^\s/])[ \t]*\{$", r"\1\2\n\1{", text)
    return re.sub(r"(?m)^(?!#)(?!.*\\$)((?:    |\t)+)(?=\S)", lambda found: found.group(1) * 2, text)


def other_case(text):
    """Fortran's other case, and spaces around operators, as far as a line has room."""
    lines = []
    for line in text.splitlines():
        wide = re.sub(r"(?<=[\w)])([=*])(?=[\w(])", r" \1 ", line.swapcase())
        statement = re.match(r" {5}[ 0-9]|[ 0-9]{5} ", line) and "'" not in line and not re.search(r"[DdEe][-+]?\d|\*\*", line)
        lines.append(wide if statement and len(wide) <= 72 and not line.startswith("     *") else line)
    return "\n".join(lines) + "\n"


def moved(start, end, before):
    """The piece from a text to another one, which stays, goes before a third."""
    def change(text):
        at = text.index(start)
        piece = text[at:text.index(end, at)]
        rest = text.replace(piece, "", 1)
        return rest.replace(before, piece + before, 1)
    return change


def unused(text):
    return "int never_called(int x);\nint never_called(int x)\n{\n    int sum = 0;\n    while (x > 0)\n        sum += x--;\n    return sum;\n}\n" + text


def unused_fortran(text):
    return text + "      subroutine never(n)\n      integer n\n      n = n + 1\n      return\n      end\n"


FOLDER = "another/place/for it"
HARMLESS = (
    Harmless("zlib", "comments", noted, "*.[ch]"),
    Harmless("zlib", "names of variables", names(best_len="longest_yet", chain_length="left_in_chain", hash_head="first"), "deflate.c"),
    Harmless("zlib", "names of functions", names(longest_match="find_longest", compress_block="put_block", inflate_fast="inflate_quickly"), "*.[ch]"),
    Harmless("zlib", "another order of functions", moved("local void slide_hash(s)", "/* ====", "/* ===========================================================================\n * Flush the current block"), "deflate.c"),
    Harmless("zlib", "another style of braces and indents", other_style, "deflate.c"),
    Harmless("bzip2", "comments", noted, "*.[ch]"),
    Harmless("bzip2", "names of variables", names(mtfv="values", alphaSize="symbols", nGroups="groups"), "*.[ch]"),
    Harmless("bzip2", "names of functions", names(mainGtU="is_greater", generateMTFValues="make_values", BZ2_hbAssignCodes="BZ2_codes"), "*.[ch]"),
    Harmless("bzip2", "another order of functions", moved("/*---------------------------------------------------*/\nvoid BZ2_hbAssignCodes", "/*---------------------------------------------------*/\nvoid BZ2_hbCreateDecodeTables",
                                                         "/*---------------------------------------------------*/\nvoid BZ2_hbMakeCodeLengths"), "huffman.c"),
    Harmless("bzip2", "another folder", folder=FOLDER),
    Harmless("xxhash", "comments", noted, "*.[ch]"),
    Harmless("xxhash", "names of variables", names(bEnd="end_of_input", limit="last", nbStripesPerBlock="stripes_of_block"), "*.h"),
    Harmless("xxhash", "names of functions", names(XXH64_round="XXH64_turn", XXH3_mix16B="XXH3_mix16", XXH32_round="XXH32_turn"), "*.h"),
    Harmless("xxhash", "functions that nobody calls", unused, "hash.c"),
    Harmless("xxhash", "another folder", folder=FOLDER),
    Harmless("tinyxml2", "comments", noted, "tinyxml2.*"),
    Harmless("tinyxml2", "names of variables", names(entityFound="found", strFlags="how", newAllocated="wanted"), "tinyxml2.*"),
    Harmless("tinyxml2", "names of functions", names(ParseText="ReadText", EnsureCapacity="Reserve", ToElementWithName="ElementOfName"), "tinyxml2.*"),
    Harmless("tinyxml2", "another order of functions", moved("char* StrPair::ParseName( char* p )", "void StrPair::CollapseWhitespace()", "void StrPair::TransferTo( StrPair* other )"), "tinyxml2.cpp"),
    Harmless("tinyxml2", "another style of braces and indents", other_style, "tinyxml2.*"),
    Harmless("minpack", "comments", noted_fortran, "*.f"),
    Harmless("minpack", "names of variables", names(temp="t1", ajnorm="norm1", sum="s"), "*.f"),
    Harmless("minpack", "names of routines", names(enorm="enrm2", r1mpyq="rotate", qform="makeq"), "*.f"),
    Harmless("minpack", "routines that nobody calls", unused_fortran, "enorm.f"),
    Harmless("minpack", "another case, and spaces", other_case, "*.f"),
    Harmless("lapack", "comments", noted_fortran, "*.f"),
    Harmless("lapack", "names of variables", names(TEMP="T1", IINFO="INFO2", N32="NN"), "*.f"),
    Harmless("lapack", "names of routines", names(DGEMM="DPROD", DTRSM="DSOLV", IDAMAX="IDLARG"), "*.f"),
    Harmless("lapack", "another case, and spaces", other_case, "d*.f"),
    Harmless("lapack", "another folder", folder=FOLDER),
)
