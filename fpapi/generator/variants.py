# SPDX-License-Identifier: BSD-3-Clause
"""The specific routines of a Fortran routine's generic name: for integers of 4 and of 8 bytes.

All integers of a call are of one kind, but for those that may be constants: these have the kind of the module's
constants, or of the code's literals, whatever the others have. An array is one, an element or a table of two
dimensions, as a call of the one routine alone may have it.

The routines for 8 bytes are called PAPI8_ in place of PAPIF_. Where a machine keeps the lower half of an integer
first, either takes a shorter or a longer integer that it only reads, and a specific routine is another name for it.
"""
import itertools

from . import kinds

# Arguments that constants of papi.h, or a literal, are passed for.
CONSTANTS = ('code', 'modifier', 'domain', 'mode', 'granularity', 'level', 'flags', 'attr', 'inherit', 'n')
AMOUNTS = ('threshold',)  # may be larger than an int
PREFIXES = {4: 'PAPIF_', 8: 'PAPI8_'}
MIXED_PREFIXES = {4: 'PAPI48_', 8: 'PAPI84_'}  # the constants in the other kind
OTHER = {4: 8, 8: 4}


class Variant:
    """width: bytes of an integer. other: the names of the arguments of the other width. rank: of the array, None
    as the table has it. symbol: what it is called in C, None where the compiler makes that of the name."""

    def __init__(self, name, width, other=(), rank=None, symbol=None):
        self.name, self.width, self.other, self.rank, self.symbol = name, width, other, rank, symbol

    def bytes_of(self, arg):
        return OTHER[self.width] if arg.name in self.other else self.width


def renamed(function, prefixes, width):
    return prefixes[width] + function.fortran_name[len(PREFIXES[4]):]


def has_integers(function):
    return any(kinds.is_integer(a) for a in function.fortran_arguments)


def constants(function):
    """Those that may differ from the others; not where there would be no others to tell the routines by."""
    integers = [a for a in function.fortran_arguments if kinds.is_integer(a)]
    found = [a.name for a in integers if a.direction == 'in' and not a.shape and a.name in CONSTANTS]
    return found if len(found) < len(integers) else []


def mixed_names(function):
    """The further names of a routine that cannot be bound to a C name: {name: the name of what it is}."""
    if not constants(function) or is_interoperable(function, callbacks=False):
        return {}
    return {renamed(function, MIXED_PREFIXES, w): renamed(function, PREFIXES, w) for w in (4, 8)}


def is_interoperable(function, callbacks):
    """Whether an interface of it may be BIND(C): its texts have lengths that C does not see."""
    return not any(kinds.is_text(a) or (a.kind == 'callback' and not callbacks) for a in function.fortran_arguments)


def subsets(names):
    return itertools.chain.from_iterable(itertools.combinations(names, n) for n in range(len(names) + 1))


def of_width(function, width, mixed, callbacks):
    names = constants(function) if mixed else []
    base = renamed(function, PREFIXES, width)
    bound = is_interoperable(function, callbacks)
    ranks = (None, 0, 2) if bound and any(a.shape for a in function.fortran_arguments) else (None,)
    for other, rank in itertools.product(subsets(names), ranks):
        if not other and rank is None:
            yield Variant(base, width)
        elif bound:
            label = ''.join(['_' + name for name in other] + ([] if rank is None else ['_rank%d' % rank]))
            yield Variant('PAPI%d_%s%s' % (width, base[len(PREFIXES[8]):], label), width, other, rank, base.lower())
        elif len(other) == len(names):
            yield Variant(renamed(function, MIXED_PREFIXES, width), width, other)


def of(function, mixed, callbacks=True):
    """mixed: whether the lower half comes first. callbacks: whether a handler has a C interface."""
    return [v for width in (4, 8) for v in of_width(function, width, mixed, callbacks)]
