#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the C sources of the MPI calls from calls.tab.

  generate.py calls.tab calls.h FILE              enum call, enum call_class, enum call_form
  generate.py calls.tab calls.c FILE              their names
  generate.py calls.tab wrappers_c.c FILE mpi.i   the wrappers; mpi.i is mpi.h behind the preprocessor: what
  generate.py calls.tab wrappers_fortran.c FILE mpi.i   it does not declare is left out
  generate.py calls.tab symbols.txt FILE mpi.i    the symbols that these define, one a line
  generate.py mpi.i mpi_now.h FILE                mpi.h whose PMPI_ functions are looked up when they are called
"""
import re
import sys

LEFT_OUT = "left-out"  # rows of functions that have no wrapper, and why
LICENSE = "/* SPDX-License-Identifier: BSD-3-Clause */\n/* Made by generate.py from calls.tab. */\n"

# How an argument of a kind is declared in C, and in a large-count call where that differs; how its value reaches
# a function of account.h from C and from Fortran, where a rule may name it ({} is the argument).
KINDS = {
    "in": ("const void *{}", None, "{} == MPI_IN_PLACE", "fortran_in_place({})"),
    "out": ("void *{}", None, "{} == MPI_IN_PLACE", "fortran_in_place({})"),
    "address": ("void *{}", None, None, None),  # of a pointer that MPI sets
    "pointer": ("void *{}", None, None, None),  # the same; Fortran has a second form for type(c_ptr)
    "count": ("int {}", "MPI_Count {}", "{}", "*(const FORTRAN_COUNT *){}"),
    "count*": ("int *{}", "MPI_Count *{}", None, None),
    "long": ("MPI_Count {}", None, "{}", "*(const MPI_Count *){}"),
    "size": ("MPI_Aint {}", "MPI_Count {}", None, None),
    "size*": ("MPI_Aint *{}", "MPI_Count *{}", None, None),
    "counts": ("const int {}[]", "const MPI_Count {}[]", "(struct counts){{{0}, sizeof *{0}}}",
               "(struct counts){{{0}, sizeof(FORTRAN_COUNT)}}"),
    "displs": ("const int {}[]", "const MPI_Aint {}[]", None, None),
    "aints": ("const MPI_Aint {}[]", None, None, None),
    "aint": ("MPI_Aint {}", None, "{}", "*(const MPI_Aint *){}"),
    "unit": ("int {}", "MPI_Aint {}", None, None),
    "type": ("MPI_Datatype {}", None, "{}", "fortran_type({})"),
    "types": ("const MPI_Datatype {}[]", None, "(struct handles){{{}, 0}}", "(struct handles){{{}, 1}}"),
    "rank": ("int {}", None, "{}", "*(const MPI_Fint *){}"),
    "int": ("int {}", None, "{}", "*(const MPI_Fint *){}"),
    "ints": ("const int {}[]", None, None, None),
    "parts": ("const int {}[]", None, None, None),  # not const in some mpi.h
    "int*": ("int *{}", None, "*{}", "*(const MPI_Fint *){}"),
    "int*s": ("int {}[]", None, None, None),
    "comm": ("MPI_Comm {}", None, "{}", "fortran_comm({})"),
    "comm*": ("MPI_Comm *{}", None, "*{}", "PMPI_Comm_f2c(*(const MPI_Fint *){})"),
    "group": ("MPI_Group {}", None, None, None),
    "info": ("MPI_Info {}", None, None, None),
    "errhandler": ("MPI_Errhandler {}", None, None, None),
    "session": ("MPI_Session {}", None, None, None),
    "session*": ("MPI_Session *{}", None, None, None),
    "infos": ("const MPI_Info {}[]", None, None, None),
    "op": ("MPI_Op {}", None, "{}", "fortran_op({})"),
    "op*": ("MPI_Op *{}", None, None, None),
    "function": ("MPI_User_function *{}", "MPI_User_function_c *{}", "{}", "{}"),
    "win": ("MPI_Win {}", None, "{}", "fortran_win({})"),
    "win*": ("MPI_Win *{}", None, None, None),
    "request": ("MPI_Request {}", None, None, None),
    "request*": ("MPI_Request *{}", None, "{0} ? *{0} : NO_REQUEST", "fortran_request({})"),
    "requests": ("MPI_Request {}[]", None, "(struct handles){{{}, 0}}", "(struct handles){{{}, 1}}"),
    "polled": ("const MPI_Request {}[]", None, "(struct handles){{{}, 0}}", "(struct handles){{{}, 1}}"),
    "status*": ("MPI_Status *{}", None, "{}", "{}"),
    "statuses": ("MPI_Status {}[]", None, None, None),
    "message*": ("MPI_Message *{}", None, None, None),
    "file": ("MPI_File {}", None, None, None),
    "file*": ("MPI_File *{}", None, None, None),
    "offset": ("MPI_Offset {}", None, None, None),
    "offset*": ("MPI_Offset *{}", None, None, None),
    "string": ("const char *{}", None, "(struct possible_name){{{}, SIZE_MAX}}", "(struct possible_name){{{0}, {0}_length}}"),
    "string*": ("char *{}", None, None, None),
    "strings": ("char *{}[]", None, None, None),
    "stringss": ("char **{}[]", None, None, None),
    "argc": ("int *{}", None, None, None),
    "argv": ("char ***{}", None, None, None),
    "level": ("const int {}", None, "{}", "*(const MPI_Fint *){}"),
    "...": ("...", None, "(struct possible_name){{POSSIBLY_AFTER(level), SIZE_MAX}}", "(struct possible_name){{{}, length}}"),
}
# How a rule that follows the critical path (into, out) gets an argument from C and from Fortran: handles that MPI sets or
# changes are the program's own.
FOLLOWED = {
    "rank": ("{}", "*(const MPI_Fint *){}"),
    "int": ("{}", "*(const MPI_Fint *){}"),
    "comm": ("{}", "fortran_comm({})"),
    "comm*": ("{}", "{}"),
    "request": ("&{}", "{}"),
    "request*": ("{}", "{}"),
    "requests": ("{}", "{}"),
    "polled": ("{}", "{}"),
    "message*": ("{}", "{}"),
    "int*": ("{}", "{}"),
    "int*s": ("{}", "{}"),
}
STATUSES = {"status*", "statuses"}
COMPLETIONS = {"all", "all_if", "any", "any_if", "some"}  # rules of take around a call; others come after it
TESTS = {"tested": "{}", "reads": "probe_reads({})", "completed": "probe_completed({})", "between": "probe_between({})"}  # 0: it has failed
NOT_ACCOUNTED = {"met", "uncounted", "received", *TESTS}  # rules without a function in account.c, or whose call stands elsewhere
STRINGS = {"string", "string*", "strings", "stringss"}  # Fortran adds a hidden length
CHOICE = {"in", "out"}                                  # Fortran 2018 passes a descriptor
C_ONLY = {"argc", "argv"}
# Arguments that are noted in the record before a call, so that a reader knows what one that does not end waits for: the
# bits of call_facts. A rank is what its argument is called.
FACTS = ["COMM", "WIN", "DEST", "SOURCE", "ROOT", "TARGET", "TAG", "SECOND", "WAITS", "MAKES_REQUEST", "MAKES_COMM"]
RANKS = {"dest": "DEST", "source": "SOURCE", "root": "ROOT", "target_rank": "TARGET", "rank": "TARGET"}
TAGS = {"tag", "sendtag"}
REQUESTS = {"request", "request*", "requests"}
NO_NEW_REQUEST = {"MPI_Start", "MPI_Cancel", "MPI_Request_free"}  # have requests that another call made
NO_NEW_COMM = {"MPI_Comm_free", "MPI_Comm_disconnect"}
# What a Fortran compiler may make of a name; {l} and {u}: the call's name in lower and upper case. The first one
# is defined, the others are the same function; MPI has at least one of them.
FORMS = {
    "FORM_FORTRAN": ["{l}_", "{l}", "{l}__", "{u}"],
    "FORM_FORTRAN_CPTR": ["{l}_cptr_", "{l}_cptr", "{l}_cptr__", "{u}_CPTR"],
    "FORM_F08": ["{l}_f08_"],
    "FORM_F08TS": ["{l}_f08ts_"],
    "FORM_F08_LARGE": ["{l}_f08_large_"],
    "FORM_F08TS_LARGE": ["{l}_f08ts_large_"],
}


class Argument:
    def __init__(self, word, place):
        self.kind, _, name = word.partition(":")
        self.name = name or self.kind.rstrip("*")
        if self.kind not in KINDS:
            sys.exit(f"{place}: no kind {self.kind}")
        self.form, self.large_form, self.value, self.fortran_value = KINDS[self.kind]

    def declared(self, large, prototype):
        text = (self.large_form or self.form if large else self.form).format(self.name)
        if self.kind == "parts" and "const" not in prototype:  # as in MPICH 4.0
            text = text.replace("const ", "")
        return text


class Rule:
    def __init__(self, text, place):
        match = re.fullmatch(r"(?:(before|after|into|out|note|keep|kept|take) )?(\w+)\(([\w, ]*)\)", text.strip())
        if not match:
            sys.exit(f"{place}: not a rule: {text.strip()}")
        self.when, self.function = match[1], match[2]
        self.arguments = re.findall(r"\w+", match[3])


class Row:
    def __init__(self, line, place, before):
        left, _, right = line.partition("|")
        words = left.split()
        if len(words) < 2 or not words[1].startswith("MPI_"):
            sys.exit(f"{place}: not a class and a name: {line.strip()}")
        self.kind, self.name, self.place = words[0], words[1], place
        self.arguments, self.rules = [], []
        for word in words[2:]:
            if word.startswith("="):
                other = before.get(word[1:]) or sys.exit(f"{place}: no row {word[1:]} above")
                self.arguments, self.rules = list(other.arguments), other.rules
            else:
                self.arguments.append(Argument(word, place))
        if right:
            self.rules = [Rule(text, place) for text in right.split("|")]
        elif self.kind == "collective" and self.has({"request*"}):
            self.rules = [one for rule in self.rules for one in (self.started(rule) if self.is_prepared() else self.later(rule))]
        self.id = "CALL_" + identifier(self.name[4:])

    def later(self, rule):
        """A collective call's rule as rules for the one that is completed later."""
        if rule.when != "into":
            return [rule] if rule.function != "met" else []
        return [Rule(f"into later_{rule.function}({', '.join(rule.arguments)})", self.place),
                Rule("out later(request)", self.place)]

    def is_prepared(self):
        """A persistent collective call."""
        return self.kind == "collective" and self.name.endswith("_init")

    def started(self, rule):
        """The same for one that is started as often as the program likes."""
        if rule.when != "into":
            return [rule] if rule.function != "met" else []
        return [Rule(f"out prepared_{rule.function}({', '.join(rule.arguments)}, request)", self.place)]

    def is_uncounted(self):
        """A call that moves data whose bytes are not counted."""
        return any(rule.function == "uncounted" for rule in self.rules)

    def brings_messages(self):
        """A call that receives messages, or completes requests that do."""
        return any(rule.function == "received" or (rule.when == "take" and rule.function in COMPLETIONS) for rule in self.rules)

    def transfers(self):
        """Directions of a call that returns when its bytes have been moved: then they took as long as the call. One that
        copies them to be sent later does not."""
        blocking = self.kind in ("point-to-point", "collective") and not self.has(REQUESTS | {"polled"}) and self.name != "MPI_Bsend"
        moved = {rule.function for rule in self.rules if not rule.when} - (NOT_ACCOUNTED - {"received"}) - {"synchronized"}
        if not blocking or not moved:
            return []
        both = self.kind == "collective"
        return ["SENDS"] * (both or "sent" in moved) + ["RECEIVES"] * (both or "received" in moved)

    def has(self, kinds):
        return any(argument.kind in kinds for argument in self.arguments)

    def first(self, kinds, names=None):
        """The first argument of these kinds, and of these names; None: there is none."""
        return next((one for one in self.arguments if one.kind in kinds and (not names or one.name in names)), None)

    def facts(self):
        """The bits of call_facts."""
        found = {"COMM": self.first({"comm"}), "WIN": self.first({"win"}), "TAG": self.first({"int"}, TAGS),
                 "SECOND": self.first({"int"}, {"recvtag"})}
        rank = self.first({"rank"}, RANKS)
        if rank:
            found[RANKS[rank.name]] = rank
        request = self.first(REQUESTS)
        found["WAITS"] = request and self.kind == "completion" and self.name not in NO_NEW_REQUEST
        found["MAKES_REQUEST"] = (self.first({"request*"}) and self.kind != "completion" and
                                  self.name not in NO_NEW_REQUEST)
        # One that is made later must not be asked before.
        found["MAKES_COMM"] = self.first({"comm*"}) and not request and self.name not in NO_NEW_COMM
        return [one for one in FACTS if found.get(one)]

    def noted(self, fortran):
        """The facts as members of struct call_facts."""
        handle, value = ("FACT_FORTRAN({})", "*(const MPI_Fint *){}") if fortran else ("FACT_HANDLE({})", "{}")
        rank = self.first({"rank"}, RANKS)
        pairs = [("comm", self.first({"comm"}) or self.first({"win"}), handle), ("peer", rank, value),
                 ("tag", self.first({"int"}, TAGS), value), ("second_tag", self.first({"int"}, {"recvtag"}), value)]
        if self.first({"int"}, {"recvtag"}):
            pairs.append(("second_peer", self.first({"rank"}, {"source"}), value))
        return ", ".join(f".{member} = {form.format(one.name)}" for member, one, form in pairs if one) or "0"

    def waits(self, fortran):
        """The arguments of call_waits behind the thread."""
        request, count = self.first(REQUESTS), self.first({"int"}, {"count", "incount"})
        n = "1" if not count else f"*(const MPI_Fint *){count.name}" if fortran else count.name
        if fortran:
            return f"{n}, {request.name}, sizeof(MPI_Fint), HANDLE_OF_FORTRAN"
        return f"{n}, {'&' if request.kind == 'request' else ''}{request.name}, sizeof(MPI_Request), 0"

    def values(self, rule, fortran, descriptors=False):
        """What the rule's function gets, behind the thread and the call."""
        found = []
        for name in rule.arguments:
            if name.isdigit() or name == "PROBE_ALL":
                found.append(name)
                continue
            argument = next((one for one in self.arguments if one.name == name), None)
            followed = rule.when in ("into", "out", "keep", "kept") or (rule.when == "take" and rule.function in COMPLETIONS)
            values = FOLLOWED.get(argument.kind) if argument and followed else None
            value = values[fortran] if values else argument and (argument.fortran_value if fortran else argument.value)
            if argument and argument.kind == "out" and rule.function == "reads":
                value = "{}"
            if not value:
                sys.exit(f"{self.place}: a rule cannot use {name}")
            if argument.kind in CHOICE and descriptors:
                name = f"*(void *const *){name}"  # the address is the descriptor's first member
            found.append(value.format(name))
        return found


def rows(path):
    found = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0]
            if line.strip() and line.split()[0] != LEFT_OUT:
                row = Row(line, f"{path}:{number}", found)
                found[row.name] = row
    if not found:
        sys.exit(f"{path}: no row matched")
    return list(found.values())


def identifier(text):
    return text.replace("-", "_").upper()


def classes(table):
    return list(dict.fromkeys(row.kind for row in table))


def header(table):
    lines = [LICENSE, "#ifndef PAPI_MPI_CALLS_H", "#define PAPI_MPI_CALLS_H", "",
             "/* Which calls there are, in the order of the table; CALL_COUNT is how many. */", "enum call {"]
    lines += [f"    {row.id}," for row in table]
    lines += ["    CALL_COUNT", "};", "", "enum call_class {"]
    lines += [f"    CALLS_{identifier(kind)}," for kind in classes(table)]
    lines += ["    CLASS_COUNT", "};", "", "/* The symbols that one call has. */",
              "enum call_form {", "    FORM_C,", "    FORM_C_LARGE,"]
    lines += [f"    {form}," for form in FORMS]
    lines += ["    FORM_COUNT", "};", "", "extern const char *const call_name[CALL_COUNT]; /* \"MPI_Send\" */",
              "extern const unsigned char call_class[CALL_COUNT];",
              "", "/* Arguments of a call that the record has (struct open_call). */", "enum call_fact {",
              *(f"    FACT_{one} = {1 << i}," for i, one in enumerate(FACTS)),
              "    FACT_PEERS = FACT_DEST | FACT_SOURCE | FACT_ROOT | FACT_TARGET,",
              f"    FACT_TEST = {1 << len(FACTS)} /* of the wrappers alone: it fails while there is nothing to find */", "};",
              "extern const unsigned short call_facts[CALL_COUNT];",
              "extern const unsigned char call_uncounted[CALL_COUNT]; /* 1: it moves data whose bytes are not counted */",
              "extern const unsigned char call_receives[CALL_COUNT]; /* 1: messages come to the rank by it, or by what it completes */",
              "/* A call whose time is that of the transfer of the bytes that it sent, or received. */",
              "enum { TRANSFER_SENDS = 1, TRANSFER_RECEIVES = 2 };", "extern const unsigned char call_transfers[CALL_COUNT];",
              "extern const char *const class_name[CLASS_COUNT]; /* \"point-to-point\" */",
              "", "/* What stands behind a call's name in its symbols; C's are written as MPI has them. */",
              "struct call_suffix {", "    const char *lower[3], *upper; /* NULL: no more */", "};",
              "extern const struct call_suffix call_suffix[FORM_COUNT];", "", "#endif", ""]
    return "\n".join(lines)


def facts_of(row):
    return " | ".join("FACT_" + one for one in row.facts()) or "0"


def source(table):
    lines = [LICENSE, '#include "record/calls.h"', "", "const char *const call_name[CALL_COUNT] = {"]
    lines += [f'    "{row.name}",' for row in table]
    lines += ["};", "", "const unsigned char call_class[CALL_COUNT] = {"]
    lines += [f"    CALLS_{identifier(row.kind)}," for row in table]
    lines += ["};", "", "const unsigned short call_facts[CALL_COUNT] = {"]
    lines += [f"    {facts_of(row)}," for row in table]
    lines += ["};", "", "const unsigned char call_uncounted[CALL_COUNT] = {"]
    lines += [f"    [{row.id}] = 1," for row in table if row.is_uncounted()]
    lines += ["};", "", "const unsigned char call_receives[CALL_COUNT] = {"]
    lines += [f"    [{row.id}] = 1," for row in table if row.brings_messages()]
    lines += ["};", "", "const unsigned char call_transfers[CALL_COUNT] = {"]
    lines += [f"    [{row.id}] = {' | '.join('TRANSFER_' + one for one in row.transfers())}," for row in table if row.transfers()]
    lines += ["};", "", "const char *const class_name[CLASS_COUNT] = {"]
    lines += [f'    "{kind}",' for kind in classes(table)]
    lines += ["};", "", "const struct call_suffix call_suffix[FORM_COUNT] = {",
              '    [FORM_C] = {{""}, 0},', '    [FORM_C_LARGE] = {{"_c"}, 0},']
    for form, names in FORMS.items():
        lower = ", ".join(f'"{name[3:]}"' for name in names if name.startswith("{l}"))
        upper = [f'"{name[3:]}"' for name in names if name.startswith("{u}")] or ["0"]
        lines.append(f"    [{form}] = {{{{{lower}}}, {upper[0]}}},")
    lines += ["};", ""]
    return "\n".join(lines)


# ---- the wrappers

def calls_of(row, when, before, values, first=()):
    return [f"{before}{rule.function}({', '.join([*first, *values(rule)])});" for rule in row.rules if rule.when == when]


def kept_around(name, status, binding, before):
    """What one of those who follow a call does before it: name is that of its data."""
    lines = [f"{name}.binding = {binding};"] + ([f"{name}.status = {status};"] if status else [])
    return lines + before + ([f"{status} = {name}.status;"] if status else [])


def inside(condition, lines):
    return [f"if ({condition}) {{"] + ["    " + one for one in lines] + ["}"] if lines else []


def received_around(row, values, code, success, binding):
    """Where received messages are counted: declarations of a call that receives or completes requests, what comes before
    it, as the program may want no status, and what comes after it."""
    status = next((argument.name for argument in row.arguments if argument.kind in STATUSES), None)
    for rule in row.rules:
        if rule.function == "received":
            return (["MPI_Status came;"], [f"if (thread && tables_ignores({binding}, {status}))", f"    {status} = &came;"],
                    [f"if (thread && {success})", f"    account_received({', '.join(['thread', row.id, *values(rule)])});",
                     f"else if (thread && follow_has_come({code}))", f"    thread->uncounted[{row.id}]++; /* too long for its place */"])
        if rule.when == "take" and rule.function in COMPLETIONS:
            count, requests, *more = values(rule)
            return (["struct arrivals arrivals;"],
                    [f"{status} = arrivals_begin(&arrivals, {binding}, {count}, {requests}, {status});"],
                    [f"arrivals_{rule.function}({', '.join(['thread', row.id, '&arrivals', code, status, *more])});"])
    taken = calls_of(row, "take", "take_", values)
    return [], [], [f"if ({success})", "    " + taken[0]] if taken else []


def following(row, values, call, code, success, binding):
    """The call with what follows it around it, and what comes when it has ended, None: nothing of these."""
    into, out = calls_of(row, "into", "into_", values, ["&following"]), calls_of(row, "out", "out_", values, ["&following", code])
    keep, kept = calls_of(row, "keep", "keep_", values, ["&keeping"]), calls_of(row, "kept", "kept_", values, ["&keeping", code])
    declared, before, received = received_around(row, values, code, success, binding)
    if not into and not out and not keep and not received:
        return [call], None
    status = next((argument.name for argument in row.arguments if argument.kind in STATUSES), None)
    path = kept_around("following", status, binding, into) if into or out else []
    ring = kept_around("keeping", status, binding, keep) if keep else []
    lines = declared + (["struct following following;"] if path else []) + (["struct keeping keeping;"] if ring else [])
    lines += ["int follows = follow_is_on(frame);"]
    lines += inside("follows", inside("follows & FOLLOW_RECEIVED", before) + inside("follows & FOLLOW_RING && thread", ring) +
                    inside("follows & FOLLOW_PATH", path))
    lines += [call] + inside("follows & FOLLOW_PATH", out)
    if not received and not kept:
        return lines, None
    notes = calls_of(row, "note", "note_", values, [code]) + kept
    if not received:
        return lines, inside("unlikely(follows & FOLLOW_RING) && thread", notes)
    return lines, inside("unlikely(follows & (FOLLOW_RING | FOLLOW_RECEIVED))",
                         inside("follows & FOLLOW_RING && thread", notes) + inside("follows & FOLLOW_RECEIVED", received))


def body(row, values, call, code, success, binding):
    """From the begin of the call to its end; the lines are those of a C and of a Fortran wrapper alike."""
    lines = calls_of(row, "before", "before_", values)
    fortran, facts = int(binding != "BINDING_C"), row.facts()
    if row.name in NO_NEW_COMM:
        gone = row.first({"comm*"})
        lines.append(f"before_comm_gone({gone.fortran_value.format(gone.name) if fortran else f'{gone.name} ? *{gone.name} : NO_PARENT'});")
    tests = any(rule.function in TESTS for rule in row.rules)
    lines += ["uintptr_t frame = CALL_FRAME;", "struct thread_record *thread =",
              f"    call_begin({row.id}, frame, CALL_SITE, {facts_of(row)}{' | FACT_TEST' if tests else ''}, (struct call_facts){{{row.noted(fortran)}}});"]
    if "WAITS" in facts:
        lines += ["if (thread)", f"    call_waits(thread, {row.waits(fortran)});"]
    around, ended = following(row, values, call, code, success, binding)
    lines += around
    took = "uint64_t took = " if tests or any(rule.function == "met" for rule in row.rules) else ""
    lines += [f"{took}{'test_end' if tests else 'call_end'}(thread, {row.id}, CALL_SITE);"]
    if "MAKES_REQUEST" in facts:
        request = row.first({"request*"}).name
        lines += [f"if (thread && {success})",
                  f"    call_requested(thread, {row.id}, {f'FACT_FORTRAN({request})' if fortran else f'FACT_HANDLE(*{request})'});"]
    made, of = row.first({"comm*"}), row.first({"comm"})
    parent = (of.fortran_value if fortran else of.value).format(of.name) if of else "NO_PARENT"
    if "MAKES_COMM" in facts:
        lines += [f"if ({success} && call_is_outermost(frame))",
                  f"    call_made_comm({row.id}, {(made.fortran_value if fortran else made.value).format(made.name)}, {parent});"]
    elif made and row.name.startswith("MPI_Comm_idup"):
        lines += [f"if ({success} && call_is_outermost(frame))",
                  f"    call_makes_comm({row.id}, {(made.fortran_value if fortran else made.value).format(made.name)}, {parent});"]
    lines += inside("thread && unlikely(papi_mpi.ring)", calls_of(row, "note", "note_", values, [code])) if ended is None else ended
    for one in calls_of(row, "after", "after_", values):
        lines += [f"if ({success} && call_is_outermost(frame))", "    " + one]
    counted = [f"call_met({', '.join(['thread', row.id, 'took', *values(rule)])});" for rule in row.rules if rule.function == "met"]
    counted += [f"polling_note(thread, {row.id}, took, {TESTS[rule.function].format(', '.join(values(rule)))});" for rule in row.rules if rule.function in TESTS]
    counted += [one for one in calls_of(row, None, "account_", values, ["thread", row.id]) if not one.startswith(tuple(f"account_{other}(" for other in NOT_ACCOUNTED))]
    if row.is_prepared():  # what is counted is counted at each start
        start = Rule("collective_prepared(request)", row.place)
        counted = ["{", "    mpi_thread.prepares = 1;", *("    " + one for one in counted),
                   f"    account_{start.function}({', '.join(['thread', row.id, *values(start)])});", "}"]
        counted = ["\n        ".join(counted)]
    for one in counted:
        lines += [f"if (thread && {success})", "    " + one]
    return lines + ["call_leave(frame);"]


def c_wrapper(row, large, prototypes):
    name = row.name + ("_c" if large else "")
    declared = ", ".join(argument.declared(large, prototypes[name]) for argument in row.arguments) or "void"
    passed = ", ".join(argument.name for argument in row.arguments if argument.kind != "...")
    lines = [f"SHOWN int {name}({declared})", "{",
             f"    __typeof__({name}) *next = call_next({row.id}, {'FORM_C_LARGE' if large else 'FORM_C'});",
             "    if (!next)", "        return MPI_ERR_OTHER;"]
    lines += ["    " + line for line in body(row, lambda rule: row.values(rule, False), f"int result = next({passed});", "result",
                                             "result == MPI_SUCCESS", "BINDING_C")]
    return lines + ["    return result;", "}", ""]


def fortran_forms(row, declared):
    """(form, wide counts, descriptors) of the Fortran symbols of a call."""
    if row.name not in declared:
        return
    yield "FORM_FORTRAN", False, False
    if row.has({"pointer"}):
        yield "FORM_FORTRAN_CPTR", False, False
    yield "FORM_F08", False, False
    if row.has(CHOICE):
        yield "FORM_F08TS", False, True
    if row.name + "_c" in declared:
        yield ("FORM_F08TS_LARGE", True, True) if row.has(CHOICE) else ("FORM_F08_LARGE", True, False)


def fortran_names(row, form):
    return [name.format(l=row.name.lower(), u=row.name.upper()) for name in FORMS[form]]


def fortran_wrapper(row, form, large, descriptors):
    """Every argument is a pointer, which is passed on as it came: the optional error code alone gets a place where
    there was none, because it says whether the other arguments can be believed."""
    names = fortran_names(row, form)
    arguments = [argument for argument in row.arguments if argument.kind not in C_ONLY]
    lengths = [f"{argument.name}_length" for argument in arguments if argument.kind in STRINGS]
    lengths += ["length"] if row.has({"..."}) else []
    error = ["error"] if not row.has({"level"}) else []  # the one without an error code
    declared = ", ".join([f"void *{argument.name}" for argument in arguments] + [f"MPI_Fint *{name}" for name in error] +
                         [f"size_t {length}" for length in lengths])
    passed = ", ".join([argument.name for argument in arguments] + error + lengths)
    values = lambda rule: [value.replace("FORTRAN_COUNT", "MPI_Count" if large else "MPI_Fint")
                           for value in row.values(rule, True, descriptors)]
    lines = [f"SHOWN void {names[0]}({declared});"]
    lines += [f'SAME_AS("{names[0]}") __typeof__({names[0]}) {name};' for name in names[1:]]
    lines += [f"SHOWN void {names[0]}({declared})", "{",
              f"    __typeof__({names[0]}) *next = call_next({row.id}, {form});"]
    if not error:
        success = "1"
        lines += ["    if (!next)", "        return;"]
    else:
        success = "*error == MPI_SUCCESS"
        lines += ["    MPI_Fint own;", "    if (!error)", "        error = &own;", "    if (!next) {",
                  "        *error = MPI_ERR_OTHER;", "        return;", "    }"]
    binding = "BINDING_F08" if form.startswith("FORM_F08") else "BINDING_FORTRAN"
    lines += ["    " + line for line in body(row, values, f"next({passed});", "*error", success, binding)]
    return lines + ["}", ""]


def declared_in(path):
    with open(path, encoding="utf-8") as file:
        found = dict(re.findall(r"\b(P?MPI_\w+)\s*(\([^;{}]*\))", file.read()))
    if "MPI_Init" not in found:
        sys.exit(f"{path}: declares no function MPI_Init")
    return found


def c_source(table, declared):
    lines = [LICENSE, '#include "calls/arrivals.h"', '#include "calls/follow.h"', '#include "calls/probes.h"', '#include "calls/wrapper.h"', '#include "entry/lifecycle.h"', ""]
    for row in table:
        for large in (False, True):
            if row.name + ("_c" if large else "") in declared:
                lines += c_wrapper(row, large, declared)
    return "\n".join(lines)


def fortran_source(table, declared):
    lines = [LICENSE, "#define CALL_INLINE __attribute__((noinline))", '#include "calls/arrivals.h"', '#include "calls/follow.h"', '#include "calls/fortran.h"',
             '#include "calls/probes.h"', '#include "calls/wrapper.h"', '#include "entry/lifecycle.h"', ""]
    for row in table:
        for form in fortran_forms(row, declared):
            lines += fortran_wrapper(row, *form)
    return "\n".join(lines)


def symbols(table, declared):
    names = [row.name + large for row in table for large in ("", "_c") if row.name + large in declared]
    for row in table:
        for form, _, _ in fortran_forms(row, declared):
            names += fortran_names(row, form)
    return "\n".join(names + [""])


def late(path):
    """Nothing of MPI is referenced by name: see record/mpi_symbols.h."""
    found = sorted(name for name in declared_in(path) if name.startswith("PMPI_"))
    lines = [LICENSE, "#ifndef PAPI_MPI_NOW_H", "#define PAPI_MPI_NOW_H", "", '#include "record/mpi_symbols.h"', "",
             "#include <mpi.h>", "",
             "/* Open MPI's predefined handles are addresses of objects. */", "#ifdef OMPI_PREDEFINED_GLOBAL",
             "#undef OMPI_PREDEFINED_GLOBAL",
             "#define OMPI_PREDEFINED_GLOBAL(type, object) ((type)mpi_symbol(#object))", "#endif", ""]
    lines += [f'#define {name} ((__typeof__(&{name}))mpi_symbol("{name}"))' for name in found]
    return "\n".join(lines + ["", "#endif", ""])


def main():
    given, kind, path, *mpi = sys.argv[1:]
    if kind == "mpi_now.h":
        text = late(given)
    elif mpi:
        maker = {"wrappers_c.c": c_source, "wrappers_fortran.c": fortran_source, "symbols.txt": symbols}[kind]
        text = maker(rows(given), declared_in(mpi[0]))
    else:
        text = {"calls.h": header, "calls.c": source}[kind](rows(given))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


main()
