# SPDX-License-Identifier: BSD-3-Clause
"""What an instruction counts, by objdump's text of it and docs/emulation.md alone: nothing here is shared with the
library's own classification. An instruction that is not known is an error."""
import re

SIZES = {"zmm": 64, "ymm": 32, "xmm": 16}
FP = re.compile(r"v?(?:(?P<fma>fn?m(?:add|sub|addsub|subadd)(?:132|213|231))|(?P<add>addsub|add|sub)|(?P<multiply>mul)|(?P<divide>div)|"
                r"(?P<sqrt>sqrt)|(?P<inverse>r(?:sq)?rt14|r(?:sq)?rt|rcp14|rcp)|(?P<other>min|max|scalef))(?P<form>[ps])(?P<type>[sdh])$")
# Of complex halves: a product and a fused multiply-add for each lane, or two fused ones.
COMPLEX = re.compile(r"vfc?(?P<what>mul|madd)c(?P<form>[ps])h$")
PRECISIONS = {"s": ("SP", 4), "d": ("DP", 8), "h": ("HP", 2)}
NAMES = {"fma": "FMA", "add": "FP_ADD", "multiply": "FP_MULTIPLY", "divide": "FP_DIVIDE", "sqrt": "FP_SQRT", "inverse": "FP_INVERSE"}
COMPARE = re.compile(r"v?cmp([a-z_]*)(?P<form>[ps])[sdh]$|v?u?comi(?P<scalar>s)[sdh]$")
CONVERT = re.compile(r"v?(cvtt?\w+|rndscale(?P<form>[ps])[sdh]|round(?P<form2>[ps])[sd])$")
ONE = re.compile(r"v?cvtt?(s[sdh]|u?si)2")  # of one lane
MASKS = re.compile(r"k(mov|not|x?n?or|and|andn|ortest|test|shift[lr]|unpck|add)[bwdq]{1,2}$")
PACKED = re.compile(r"v?(p(add|sub|mull?|mulu?|muldq|muludq|min[su]|max[su]|and|andn|x?or|ternlog|cmp\w*|s[lr][la]v?|s[lr]l|sra|abs|"
                    r"unpck\w+|shuf[lh]?|perm\w*|blend\w*|movsx|movzx|mov[sz]x\w+|hadd|lzcnt|popcnt|conflict|align|rol|ror|test)[bwdq]{0,4}|"
                    r"(and|andn|x?or|unpck[lh]|shuf|permil|perm|permt2|permi2|blendm?|blendv)p[sd]|align[dq]|perm2[fi]128|"
                    r"shuf[fi](32x4|64x2)|pmov[dqw][bwd]|pack\w+|psrldq|pslldq|pabs[bwd]|perm(i2|t2)?[bdqw]|p?(compress|expand)\w+)$")
VECTOR_MOVES = re.compile(r"v?(mov[aulh]p[sd]|movhlps|movlhps|movs[sdh]|mov[dqw]|movdq[au]\d*|movnt\w+|movddup|movs[lh]dup|p?broadcast\w+|"
                          r"(insert|extract)[fi](128|\d+x\d+)|p?(insr|extr)[bwdq]|insertps|extractps|p?gather\w+|p?scatter\w+|"
                          r"movmskp[sd]|pmovmskb)$")
CHANGE = "add sub adc sbb and or xor inc dec neg not shl sal shr sar rol ror shld shrd xadd btr bts btc".split()
READ = ("cmp test bt imul mul idiv div popcnt tzcnt lzcnt bsf bsr andn bextr blsi blsr blsmsk bzhi shlx shrx sarx rorx mulx pdep "
        "pext").split()
MOVES = re.compile(r"(movs?z?x?d?|movabs|movbe|cmov\w+|set\w+|cdqe?|cqo|cwde?|bswap)$")
NOTHING = {"nop", "vzeroupper", "vzeroall", "endbr64", "nopw", "nopl"}


class Unknown(Exception):
    pass


def operands_of(text):
    return [word.strip() for word in re.split(r",(?![^\[]*\])(?![^{]*\})", text)] if text else []


def width_of(operands):
    """Bytes of the vectors; objdump has a broadcast of one lane as {1to8}, which its register is the width of."""
    return max([SIZES[name] for word in operands for name in re.findall(r"\b([xyz]mm)\d", word.split("[")[0])] or [0])


def accesses(first, others, hidden=""):
    """Events of memory: what is done to the first operand, to the others and besides, as letters."""
    def of(letters):
        return [{"l": "LOADS", "s": "STORES"}[letter] for letter in letters]
    return lambda operands: of(hidden) + [name for i, word in enumerate(operands) if "[" in word for name in of(others if i else first)]


def events(text):
    """{event: amount} of an instruction; conditional branches are CONDITIONAL_BRANCHES alone, taken or not."""
    words = text.split(None, 1)
    while words[0] in ("bnd", "notrack", "data16", "cs", "lock", "rep", "repz", "repnz"):
        words = words[1].split(None, 1)
    name, operands = words[0], operands_of(re.sub(r"\s*[#<].*", "", words[1]) if len(words) > 1 else "")
    counted, memory = events_of(name, operands)
    result = {"INSTRUCTIONS": 1}
    for event in memory(operands) if memory else []:
        result[event] = 1
    for event, amount in counted.items():
        result[event] = amount
    return result


def arithmetic(found, operands):
    vector = found["form"] == "p"
    precision, size = PRECISIONS[found["type"]]
    lanes = width_of(operands) // size if vector else 1
    operations = lanes * (2 if found["fma"] else 1)
    counted = {"FP_INSTRUCTIONS": 1, "FP_OPS": operations, precision + "_OPS": operations}
    for group, event in NAMES.items():
        if found[group]:
            counted[event + "_INSTRUCTIONS"] = 1
    if vector:
        counted.update({"VECTOR_INSTRUCTIONS": 1, precision + "_VECTOR_INSTRUCTIONS": 1})
    return counted


def complex_product(found, operands):
    vector = found["form"] == "p"
    operations = (width_of(operands) // 2 if vector else 2) * (3 if found["what"] == "mul" else 4)
    counted = {"FP_INSTRUCTIONS": 1, "FP_OPS": operations, "HP_OPS": operations}
    if found["what"] == "madd":
        counted["FMA_INSTRUCTIONS"] = 1
    if vector:
        counted.update({"VECTOR_INSTRUCTIONS": 1, "HP_VECTOR_INSTRUCTIONS": 1})
    return counted


def events_of(name, operands):
    found = COMPLEX.match(name)
    if found:
        return complex_product(found, operands), accesses("", "l")
    found = FP.match(name)
    if found:
        return arithmetic(found, operands), accesses("", "l")
    found = COMPARE.match(name)
    if found:
        return {"FP_COMPARISONS": 1, **({"VECTOR_INSTRUCTIONS": 1} if found["form"] == "p" else {})}, accesses("l", "l")
    found = CONVERT.match(name)
    if found:
        scalar = ONE.match(name) or "s" in (found["form"], found["form2"])
        return {"FP_CONVERSIONS": 1, **({} if scalar else {"VECTOR_INSTRUCTIONS": 1})}, accesses("s", "l")
    if MASKS.match(name):
        return {}, accesses("s", "l")
    if VECTOR_MOVES.match(name):
        return {}, accesses("s", "l")
    if PACKED.match(name):
        return {"VECTOR_INSTRUCTIONS": 1, "INTEGER_VECTOR_INSTRUCTIONS": 1}, accesses("s", "l")
    return general(name, operands)


def general(name, operands):
    if name in CHANGE:
        return {"INTEGER_INSTRUCTIONS": 1}, accesses("ls", "l")
    if name in READ:
        return {"INTEGER_INSTRUCTIONS": 1}, accesses("l", "l")
    if name == "lea":
        return {"INTEGER_INSTRUCTIONS": 1}, None
    if MOVES.match(name):
        return {}, accesses("s", "l")
    if name in ("push", "pop", "leave"):
        return {}, accesses("l", "", "s") if name == "push" else accesses("s", "", "l")
    if name == "call":
        return {"BRANCHES": 1, "UNCONDITIONAL_BRANCHES": 1, "CALLS": 1}, accesses("l", "", "s")
    if name == "ret":
        return {"BRANCHES": 1, "UNCONDITIONAL_BRANCHES": 1, "RETURNS": 1}, accesses("", "", "l")
    if name == "jmp":
        return {"BRANCHES": 1, "UNCONDITIONAL_BRANCHES": 1}, accesses("l", "")
    if name[0] == "j":
        return {"BRANCHES": 1, "CONDITIONAL_BRANCHES": 1}, None
    if name in NOTHING or (name == "xchg" and operands == ["ax", "ax"]):
        return {}, None
    if name in ("stos", "movs"):
        return {}, lambda _: ["STORES"] + (["LOADS"] if name == "movs" else [])
    raise Unknown(f"{name} {','.join(operands)}")
