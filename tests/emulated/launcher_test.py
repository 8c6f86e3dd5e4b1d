#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_emulate with a fake emulator, which runs the program as it is: what becomes of a program's exit
status, signals, terminal and arguments, and the report.

  launcher_test.py PAPI_EMULATE FAKE_EMULATOR [unittest's arguments]
"""
import json
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOOL, FAKE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
LIMIT = 30  # seconds until a program that hangs is a failure
LONG = 300  # the same for one that uses seconds of processor time, of which a busy machine has few
MPI = re.compile("^(PMI|PMIX|OMPI|SLURM|QEMU|PAPI|FAKE)")
ELF64, ELF32, LITTLE, BIG = 2, 1, 1, 2


def environment(**changes):
    kept = {name: value for name, value in os.environ.items() if not MPI.match(name)}
    return {**kept, "PAPI_EMULATOR": FAKE, "PAPI_EMULATE_PLUGIN": __file__, "LC_ALL": "C", **changes}


def elf(width=ELF64, order=LITTLE, machine=62):
    number = machine.to_bytes(2, "little" if order == LITTLE else "big")
    return b"\x7fELF" + bytes([width, order, 1]) + bytes(9) + b"\x02\0" + number + bytes(100)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text, mode=0o755):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        return str(path)

    def run_tool(self, *arguments, stdin="", **changes):
        return subprocess.run([TOOL, *arguments], env=environment(**changes), cwd=self.folder, input=stdin,
                              capture_output=True, text=True, timeout=LIMIT, check=False)

    def start(self, *arguments, **changes):
        process = subprocess.Popen([TOOL, *arguments], env=environment(**changes), cwd=self.folder,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def refused(self, status, pattern, *arguments, **changes):
        result = self.run_tool(*arguments, **changes)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertRegex(result.stderr, pattern)
        return result

    def arguments_of_emulator(self, *arguments, **changes):
        file = self.folder / "arguments"
        result = self.run_tool(*arguments, FAKE_ARGUMENTS=str(file), **changes)
        return file.read_text().splitlines(), result


class Program(Case):
    """The program is what it is without papi_emulate."""

    def test_status(self):
        for status in (0, 1, 125, 255):
            result = self.run_tool("sh", "-c", f"exit {status}")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (status, "", ""))

    def test_killed(self):
        for name in ("SEGV", "KILL", "ILL", "TERM", "HUP", "PIPE", "ABRT"):
            result = self.run_tool("sh", "-c", f"kill -{name} $$")
            self.assertEqual(result.returncode, -getattr(signal, "SIG" + name), result.stderr)

    def test_killed_in_a_shell(self):
        script = f'"{TOOL}" sh -c \'kill -SEGV $$\'; echo status $?'
        result = subprocess.run(["sh", "-c", script], env=environment(), capture_output=True, text=True,
                                timeout=LIMIT, check=False)
        self.assertEqual(result.stdout, "status 139\n")

    def test_no_core_of_its_own(self):
        resource_limit = resource.getrlimit(resource.RLIMIT_CORE)
        if resource_limit[1] == 0:
            self.skipTest("no cores here")
        self.run_tool("sh", "-c", "ulimit -c 0; kill -SEGV $$")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_standard_streams(self):
        result = self.run_tool("sh", "-c", "cat; echo error >&2", stdin="one\ntwo\n")
        self.assertEqual((result.stdout, result.stderr), ("one\ntwo\n", "error\n"))

    def test_closed_streams(self):
        script = f'"{TOOL}" --report=r sh -c \'ls /proc/$$/fd | tr "\\n" " " >list\' <&- >&- 2>&-'
        result = subprocess.run(["sh", "-c", script], env=environment(FAKE="counts"), cwd=self.folder,
                                timeout=LIMIT, check=False)
        self.assertEqual(result.returncode, 0)
        shown = (self.folder / "list").read_text().split()
        self.assertNotIn("2", shown)
        self.assertRegex((self.folder / "r").read_text(), "^papi_emulate")

    def test_arguments(self):
        result = self.run_tool("--", "printf", "%s|", "--report", "", "a b", "-x", "--")
        self.assertEqual(result.stdout, "--report||a b|-x|--|")

    def test_name(self):
        script = "import sys; print(open('/proc/self/cmdline').read().split('\\0')[0])"
        folder, name = os.path.split(os.path.realpath(sys.executable))
        result = self.run_tool(name, "-c", script, PATH=folder)
        self.assertEqual(result.stdout, name + "\n")

    def test_environment(self):
        expected = environment(LD_LIBRARY_PATH="/nowhere/at/all", EMPTY="")
        result = self.run_tool("env", "-0", LD_LIBRARY_PATH="/nowhere/at/all", EMPTY="")
        got = dict(line.split("=", 1) for line in result.stdout.split("\0") if line)
        for name in ("_", "PWD", "OLDPWD", "SHLVL"):
            expected.pop(name, None)
            got.pop(name, None)
        self.assertEqual(got, expected)

    def test_dispositions(self):
        def prepare():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])

        show = ["grep", "-E", "^(SigBlk|SigIgn|SigPnd)", "/proc/self/status"]
        here = subprocess.check_output(show, preexec_fn=prepare, text=True)
        there = subprocess.check_output([TOOL, *show], preexec_fn=prepare, env=environment(), text=True)
        self.assertEqual(there, here)

    def test_ignored_child_signal(self):
        def prepare():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)

        result = subprocess.run([TOOL, "sh", "-c", "exit 5"], preexec_fn=prepare, env=environment(),
                                timeout=LIMIT, check=False)
        self.assertEqual(result.returncode, 5)


class Signals(Case):
    """Signals, and the terminal's among them."""

    def test_passed_on(self):
        names = ("HUP", "INT", "QUIT", "USR1", "USR2", "ALRM", "RTMIN", "TERM")
        script = ("import signal, sys, time\n"
                  "def came(number, _):\n"
                  "    print(number, flush=True)\n"
                  "    if number == signal.SIGTERM:\n"
                  "        sys.exit(7)\n"
                  f"for name in {names}:\n"
                  "    signal.signal(getattr(signal, 'SIG' + name), came)\n"
                  "print('ready', flush=True)\n"
                  "while True:\n"
                  "    time.sleep(1)\n")
        process = self.start(sys.executable, "-c", script)
        self.assertEqual(process.stdout.readline(), "ready\n")
        for name in names:
            number = getattr(signal, "SIG" + name)
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), f"{int(number)}\n", name)
        self.assertEqual(process.wait(LIMIT), 7)

    def test_fatal(self):
        process = self.start("sh", "-c", "echo $$; exec sleep 20")
        program = int(process.stdout.readline())
        process.terminate()
        self.assertEqual(process.wait(LIMIT), -signal.SIGTERM)
        self.assertFalse(os.path.exists(f"/proc/{program}"))

    def test_killed(self):
        process = self.start("sh", "-c", "echo $$; exec sleep 20")
        program = int(process.stdout.readline())
        process.kill()
        process.wait(LIMIT)
        self.assertTrue(self.gone(program), "the program runs on without papi_emulate")

    @staticmethod
    def gone(process):
        """Nobody may wait for it: a zombie is gone."""
        for _ in range(200):
            try:
                state = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                return True
            if state == "Z":
                return True
            time.sleep(0.02)
        return False

    def test_nohup(self):
        def prepare():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        process = subprocess.Popen([TOOL, "sh", "-c", "echo ready; sleep 0.3; exit 6"], preexec_fn=prepare,
                                   env=environment(), stdout=subprocess.PIPE)
        process.stdout.read(6)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(LIMIT), 6)
        process.stdout.close()

    def test_deaf_emulator(self):
        """One that executes nothing and takes no signal ends nevertheless, as the signal asks."""
        for name in ("TERM", "INT", "HUP"):
            process = self.start("true", FAKE="deaf")
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(getattr(signal, "SIG" + name))
            self.assertEqual(process.wait(LONG), -getattr(signal, "SIG" + name))

    def test_busy_program(self):
        """A program that goes on after the signal has as much time as it wants."""
        process = self.start("true", FAKE="busy")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.terminate()
        self.assertEqual(process.wait(LONG), 7)

    def test_stopped_alone_goes_on(self):
        process = self.start("sh", "-c", "echo $$; sleep 0.2; exit 4")
        program = int(process.stdout.readline())
        os.kill(program, signal.SIGSTOP)
        time.sleep(0.4)
        os.kill(program, signal.SIGCONT)
        self.assertEqual(process.wait(LIMIT), 4)


class Terminal(Case):
    """A shell that runs papi_emulate as its job on a terminal."""

    def setUp(self):
        super().setUp()
        try:
            self.shell, self.terminal = pty.fork()
        except OSError as error:
            print("SKIP: " + self.id() + ": no terminal can be made here, is /dev/pts mounted?", file=sys.stderr)
            self.skipTest(str(error))
        if self.shell == 0:
            self.be_the_shell()
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(os.waitpid, self.shell, 0)
        self.addCleanup(os.kill, self.shell, signal.SIGKILL)
        self.seen = ""

    def be_the_shell(self):
        """The monitor mode is what gives each job a process group."""
        shell = shutil.which("bash")
        if shell is None:
            os._exit(77)
        os.chdir(self.folder)
        variables = environment(TOOL=TOOL, PYTHON=sys.executable, FAKE="counts", PS1="prompt> ", TERM="dumb",
                                HISTFILE="/dev/null")
        os.execve(shell, ["bash", "--norc", "--noprofile", "-i", "+o", "history"], variables)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def command(self, text):
        """What is typed before the shell asks may get lost as it sets up the terminal."""
        self.expect("prompt> $")
        self.type(text + "\n")

    def expect(self, pattern):
        end = time.monotonic() + LIMIT
        while True:
            match = re.search(pattern, self.seen)
            if match:
                self.seen = self.seen[match.end():]
                return match
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                self.fail(f"no {pattern!r} in {self.seen!r}")
            try:
                self.seen += os.read(self.terminal, 4096).decode(errors="replace")
            except OSError:
                self.skipTest("no bash here")

    def program(self, text):
        self.write("program.py", "import os, signal, sys, time\n"
                   # Not print: a handler may come in the middle of one.
                   "say = lambda text: os.write(1, (text + '\\n').encode())\n" + text)
        self.command('"$TOOL" --report=r "$PYTHON" program.py; echo "status=$?."')

    def test_interrupt(self):
        self.program("say('rea' + 'dy')\ntime.sleep(20)\n")
        self.expect("ready")
        self.type("\x03")
        self.command('echo "then=$?."')
        self.expect(r"then=130\.")
        self.assertRegex((self.folder / "r").read_text(), "INSTRUCTIONS")

    def test_interrupt_arrives_once(self):
        self.program("n = 0\n"
                     "def count(*_):\n"
                     "    global n\n"
                     "    n += 1\n"
                     "    say('go' + 't')\n"
                     "signal.signal(signal.SIGINT, count)\n"
                     "say('rea' + 'dy')\n"
                     "time.sleep(1)\n"
                     "sys.exit(40 + n)\n")
        self.expect("ready")
        self.type("\x03")
        self.expect("got")
        self.expect(r"status=41\.")

    def test_stop(self):
        self.program("signal.signal(signal.SIGCONT, lambda *_: say('go' + 'es on'))\n"
                     "say('rea' + 'dy')\n"
                     "say('re' + 'ad ' + sys.stdin.readline())\n"
                     "sys.exit(9)\n")
        self.expect("ready")
        for _ in range(2):
            self.type("\x1a")
            self.expect("Stopped")
            self.command("fg")
            self.expect("goes on")
            time.sleep(0.2)  # SIGCONT comes twice
        self.type("line\n")
        self.expect("read line")
        self.command('echo "then=$?."')
        self.expect(r"then=9\.")

    def test_stop_ignored(self):
        self.program("signal.signal(signal.SIGTSTP, signal.SIG_IGN)\n"
                     "say('rea' + 'dy')\ntime.sleep(0.5)\nsys.exit(3)\n")
        self.expect("ready")
        self.type("\x1a")
        self.expect(r"status=3\.")

    def test_reads_in_the_background(self):
        self.write("program.py", "print('g' + 'ot ' + input(), flush=True)\n")
        self.command('"$TOOL" "$PYTHON" program.py & wait')
        self.expect("Stopped")
        self.command("fg")
        self.expect("program.py")
        self.type("word\n")
        self.expect("got word")


class Finding(Case):
    """Programs, scripts, the emulator, the plugin."""

    def test_no_such_program(self):
        self.refused(127, "no-such-program: not found in PATH", "no-such-program")
        self.refused(127, "No such file", "./no-such-program")
        self.refused(127, "not found", "")

    def test_not_executable(self):
        self.write("text", "text", mode=0o644)
        self.refused(126, "Permission denied", "./text")
        self.refused(126, "Permission denied", "text", PATH=str(self.folder))
        self.refused(126, "directory", "/tmp/")

    def test_no_program(self):
        for content, pattern in (("text", "neither an ELF program nor a script"), ("", "neither"),
                                 (elf(ELF32, LITTLE, 3), "32-bit"), (elf(ELF64, BIG, 22), "big-endian"),
                                 (elf(machine=243), "another processor .ELF machine 243"),
                                 ("#!\n", "no interpreter"), ("#!/no/such\n", "its interpreter /no/such"),
                                 ("#!/tmp\n", "its interpreter /tmp: Is a directory")):
            self.write("file", content)
            result = self.run_tool("./file")
            self.assertIn(result.returncode, (126, 127))
            self.assertRegex(result.stderr, "^papi_emulate: ./file: .*" + pattern.lstrip("^"))

    def test_no_report_of_what_did_not_run(self):
        self.refused(127, "not found", "--report=r", "no-such-program")
        self.assertFalse((self.folder / "r").exists())

    def test_path(self):
        for name in ("a", "b", "c"):
            (self.folder / name).mkdir()
        (self.folder / "a/tool").mkdir()
        self.write("b/tool", "#!/bin/sh\necho b\n", mode=0o644)
        self.write("c/tool", "#!/bin/sh\necho c $0\n")
        path = ":".join(str(self.folder / name) for name in ("none", "a", "b", "c"))
        result = self.run_tool("tool", PATH=path)
        self.assertEqual(result.stdout, f"c {self.folder}/c/tool\n", result.stderr)
        self.write("here", "#!/bin/sh\necho here\n")
        self.assertEqual(self.run_tool("here", PATH="/none::/nowhere").stdout, "here\n")

    def test_script(self):
        self.write("outer", f"#! {self.folder}/inner  one two \nbody\n")
        self.write("inner", "#!/bin/sh -u\nfor a; do echo \"<$a>\"; done\n")
        expected = subprocess.run(["./outer", "a", "b c"], cwd=self.folder, capture_output=True, text=True,
                                  check=True).stdout
        self.assertIn("<one two>", expected)
        arguments, result = self.arguments_of_emulator("./outer", "a", "b c")
        self.assertEqual(result.stdout, expected)
        self.assertEqual(arguments[-7:],
                         ["/bin/sh", "-u", f"{self.folder}/inner", "one two", "./outer", "a", "b c"])

    def test_endless_scripts(self):
        self.write("loop", f"#!{self.folder}/loop\n")
        self.refused(126, "scripts", "./loop")

    def test_no_emulator(self):
        result = self.refused(127, "qemu-(x86_64|aarch64) is not in PATH", "/bin/true", PAPI_EMULATOR="",
                              PATH="/nonexistent")
        self.assertRegex(result.stderr, "install qemu-user .*Debian.*Fedora.*qemu-linux-user .openSUSE")
        self.refused(127, "PAPI_EMULATOR=./none: No such file", "true", PAPI_EMULATOR="./none")

    def test_static_emulator(self):
        for name in ("qemu-x86_64-static", "qemu-aarch64-static"):
            self.write(name, "#!/bin/sh\n")
        self.refused(127, "-static is, but cannot load plugins", "/bin/true", PAPI_EMULATOR="",
                     PATH=str(self.folder))

    def test_own_emulator(self):
        shutil.copy(FAKE, self.folder / "another")
        arguments, _ = self.arguments_of_emulator("true", PAPI_EMULATOR="./another")
        self.assertEqual(arguments[0], f"{self.folder}/./another")

    def test_no_plugin(self):
        self.refused(127, "PAPI_EMULATE_PLUGIN=none.so: No such file", "true", PAPI_EMULATE_PLUGIN="none.so")

    def test_other_installation(self):
        """The plugin beside the tool, wherever that is."""
        (self.folder / "bin").mkdir()
        tool = self.folder / "bin/papi_emulate"
        shutil.copy(TOOL, tool)
        for lib in ("lib", "lib64", "lib/" + os.uname().machine + "-linux-gnu"):
            plugin = self.folder / lib / "papi/libpapi_emulator.so"
            plugin.parent.mkdir(parents=True, exist_ok=True)
            plugin.touch()
        variables = environment(FAKE_ARGUMENTS=str(self.folder / "arguments"))
        variables.pop("PAPI_EMULATE_PLUGIN")
        libraries = subprocess.check_output(["ldd", TOOL], text=True)
        folders = {os.path.dirname(path) for path in re.findall(r"=> (/.*/lib\S+) ", libraries)}
        variables["LD_LIBRARY_PATH"] = ":".join(sorted(folders))
        result = subprocess.run([tool, "true"], env=variables, capture_output=True, text=True, timeout=LIMIT,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = re.search(r"file=([^,]*)", (self.folder / "arguments").read_text())[1]
        self.assertRegex(found, f"^{re.escape(str(self.folder.resolve()))}/lib.*/papi/libpapi_emulator.so$")

    def test_emulator_without_plugins(self):
        result = self.run_tool("true", FAKE="refuse")
        self.assertEqual(result.returncode, 99)
        self.assertRegex(result.stderr, "nothing was counted: .*did not run the program with the plugin")

    def test_command_line(self):
        plugin = self.write("a,b=c.so", "")
        arguments, _ = self.arguments_of_emulator("--caches=L2:64K:8:64,L1d:32768", "/bin/echo", "x",
                                                  PAPI_EMULATE_PLUGIN=plugin)
        option = arguments[arguments.index("-plugin") + 1]
        self.assertRegex(option, "^file=" + re.escape(plugin.replace(",", ",,")) +
                         r",memory=/proc/\d+/fd/\d+,follow=on,caches=L1d:32K:8:64/L2:64K:8:64$")
        self.assertRegex(arguments[arguments.index("-cpu") + 1], "^max")
        self.assertEqual(arguments[-4:], ["-0", "/bin/echo", "/bin/echo", "x"])

    def test_settings_of_the_emulator(self):
        self.assertNotIn("-cpu", self.arguments_of_emulator("true", QEMU_CPU="Haswell")[0])

    def test_unlimited_stack(self):
        if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
            self.skipTest("the stack is limited")
        arguments = subprocess.check_output(
            ["sh", "-c", f'ulimit -s unlimited; "{TOOL}" true; cat arguments'], cwd=self.folder, text=True,
            env=environment(FAKE_ARGUMENTS="arguments")).splitlines()
        self.assertRegex(arguments[arguments.index("-s") + 1], r"^\d+M$")
        self.assertNotIn("-s", self.arguments_of_emulator("true")[0])

    def test_foreign(self):
        machine = 183 if os.uname().machine == "x86_64" else 62
        sysroot = "/usr/aarch64-linux-gnu" if machine == 183 else "/usr/x86_64-linux-gnu"
        self.write("foreign", elf(machine=machine))
        arguments, _ = self.arguments_of_emulator("./foreign")
        self.assertEqual(sysroot in arguments, os.path.isdir(sysroot))
        arguments, _ = self.arguments_of_emulator("./foreign", QEMU_LD_PREFIX="/elsewhere")
        self.assertNotIn("-L", arguments)


class Options(Case):
    def test_help(self):
        for option in ("-h", "--help"):
            result = self.run_tool(option)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            lines = result.stdout.splitlines()
            self.assertLessEqual(len(lines), 24)
            self.assertLessEqual(max(map(len, lines)), 80)

    def test_version(self):
        self.assertRegex(self.run_tool("--version").stdout, r"^papi_emulate \(fpapi\) \d+\.\d+\.\d+\n$")

    def test_wrong(self):
        self.refused(125, "--help", "--nothing", "true")
        self.refused(125, "no program", "--report")
        self.refused(125, "no program")
        self.refused(125, "which ones", "--events", "true")
        self.refused(125, 'no event "FLOPS"', "--events=FP_OPS,FLOPS", "true")
        self.refused(125, 'no event ""', "--events=", "true")
        self.refused(125, "with --caches", "--events=L1D_READS", "true")
        self.refused(125, "with --caches", "--events=PAPI_L1_DCH", "true")
        self.refused(125, "the nearest is PAPI_L1_DCH", "--events=PAPI_L1_DCHH", "true")
        self.refused(125, "@flop is neither a group of metrics nor a metric; the nearest is flops", "--events=@flop", "true")
        self.refused(125, "@dtlb_mpki: the emulator does not count PAPI_TLB_DM", "--events=FP_OPS,@dtlb_mpki", "true")
        self.refused(125, "--caches: ", "--caches=L9:1K", "true")

    def test_list(self):
        result = self.run_tool("--events")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^emu::INSTRUCTIONS$")
        self.assertRegex(result.stdout, r"(?m)^emu::L1D_READS \*$")
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 80)
        events = json.loads(self.run_tool("--events", "--json").stdout)["events"]
        names = {event["name"]: event["needs_caches"] for event in events}
        self.assertEqual((names["emu::FP_OPS"], names["emu::L3_READS"]), (False, True))
        self.assertTrue(all(event["description"] for event in events))

    def test_list_to_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([TOOL, "--events"], stdout=full, stderr=subprocess.PIPE, text=True,
                                    timeout=LIMIT, check=False)
        self.assertEqual(result.returncode, 125)
        self.assertIn("No space left", result.stderr)


class Report(Case):
    def text(self, *arguments, **changes):
        result = self.run_tool(*arguments, "true", **changes)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        return result.stderr

    def json(self, *arguments, program=("true",), **changes):
        result = self.run_tool("--json", *arguments, *program, **changes)
        return json.loads(result.stderr)

    @staticmethod
    def count(text, event):
        return [int(n.replace(",", "")) for n in re.findall(rf"(?m)^  emu::{event} +([\d,]+)", text)]

    def test_none_unless_asked(self):
        self.assertEqual(self.text(FAKE="counts"), "")

    def test_text(self):
        text = self.text("--report", FAKE="counts")
        self.assertRegex(text, r"(?m)^/\S*/true, process \d+, 4 threads$")
        self.assertRegex(text, r"(?m)^/bin/child, process \d+, 2 threads$")
        self.assertRegex(text, r"(?m)^Sum of 2 programs, 6 threads$")
        self.assertEqual(self.count(text, "INSTRUCTIONS"), [1000111, 25000, 1025111])
        self.assertEqual(self.count(text, "FP_OPS"), [16, 3, 19])
        self.assertEqual(self.count(text, "STORES"), [17, 17])
        self.assertIn(" 1,025,111\n", text)
        self.assertNotRegex(text, "LOADS|Note|L1D|rank|imulated")

    def test_one_program_has_no_sum(self):
        text = self.text("--report", FAKE="unknown")
        self.assertNotIn("Sum", text)
        self.assertRegex(text, r"(?m), 1 thread$")

    def test_chosen(self):
        text = self.text("--events=loads,emu::FP_OPS", FAKE="counts")
        self.assertEqual(self.count(text, r"\w+"), [16, 0, 3, 0, 19, 0])

    def names(self, *options):
        """The events of a report."""
        return set(re.findall(r"(?m)^  emu::(\w+) ", self.text(*options, FAKE="counts")))

    def test_made_of_events(self):
        """Presets of whatever formula and metrics are the events that they are computed of."""
        level1 = {"L1D_READS", "L1D_WRITES", "L1D_READ_MISSES", "L1D_WRITE_MISSES"}
        self.assertEqual(self.names("--caches=L1d:32K:8:64", "--events=papi_l1_dch"), level1)
        self.assertEqual(self.names("--caches=L1d:32K:8:64", "--events=@l1d_miss_ratio"), level1)
        # What needs cycles is left out: they are no count here.
        self.assertEqual(self.names("--events=@flops"), {"FP_OPS", "INSTRUCTIONS"})
        self.assertEqual(self.names("--events=@mflops_dp,LOADS"), {"DP_OPS", "LOADS"})

    def test_caches(self):
        text = self.text("--report", "--caches=L1d:32K:8:64", FAKE="caches")
        self.assertRegex(text, "(?m)^Simulated caches: L1d:32K:8:64$")
        self.assertRegex(text, r"(?m)^  emu::L1D_READS +4,711  simulated$")

    def test_caches_of_this_machine(self):
        text = self.text("--report", "--caches", FAKE="caches")
        self.assertRegex(text, r"(?m)^Simulated caches: L1d:\d+K:\d+:\d+")

    def test_notes(self):
        text = self.text("--report", FAKE="counts,unknown,lost")
        self.assertRegex(text, "Note: the disassembler does not know 12 of the instructions")
        self.assertRegex(text, "Note: no room was left .*: 1\\.")
        self.assertEqual(self.count(text, "INSTRUCTIONS")[-1], 1025161)
        self.assertIn("Sum of 3 programs", text)

    def test_still_running(self):
        text = self.text("--report", FAKE="counts,running")
        self.assertEqual(len(re.findall("still running", text)), 1)
        data = self.json(FAKE="counts,running")
        self.assertEqual([program["running"] for program in data["programs"]], [True, False])

    def test_nothing_counted(self):
        result = self.run_tool("--report", "true", FAKE="nothing")
        self.assertRegex(result.stderr, "nothing was counted")

    def test_json(self):
        data = self.json(program=("sh", "-c", "exit 3"), FAKE="counts")
        self.assertEqual(data["command"], ["sh", "-c", "exit 3"])
        self.assertEqual((data["status"], data["signal"], data["rank"]), (3, None, None))
        self.assertEqual(data["emulator"], FAKE)
        self.assertEqual(data["sum"]["emu::INSTRUCTIONS"], 1025111)
        self.assertEqual(data["sum"]["emu::LOADS"], 0)
        self.assertNotIn("emu::L1D_READS", data["sum"])
        first, second = data["programs"]
        self.assertEqual((first["threads"], second["threads"], data["threads"]), (4, 2, 6))
        self.assertEqual((second["name"], second["counts"]["emu::STORES"]), ("/bin/child", 17))
        for event, total in data["sum"].items():
            self.assertEqual(total, first["counts"][event] + second["counts"][event])

    def test_json_of_chosen(self):
        data = self.json("--events=L1D_READS", "--caches=L1d:1K:2:64", FAKE="caches")
        self.assertEqual(data["sum"], {"emu::L1D_READS": 4711})
        self.assertEqual(data["simulated_caches"], "L1d:1K:2:64")

    def test_json_of_killed(self):
        data = self.json(program=("sh", "-c", "kill -SEGV $$"), FAKE="counts")
        self.assertEqual((data["status"], data["signal"]), (None, 11))

    def test_file(self):
        self.assertEqual(self.text("--report=out", FAKE="counts"), "")
        self.assertEqual(self.count((self.folder / "out").read_text(), "STORES"), [17, 17])

    def test_file_names(self):
        for variable in ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"):
            self.text("--report=r%r-100%%", **{variable: "3"}, FAKE="counts")
            text = (self.folder / "r3-100%").read_text()
            self.assertRegex(text.splitlines()[0], ", rank 3$")
            (self.folder / "r3-100%").unlink()
        self.text("--report=%r", PMI_RANK="../../etc")
        self.assertTrue((self.folder / "0").exists())
        self.text("--report=p%p", FAKE="running")
        files = list(self.folder.glob("p*"))
        self.assertRegex(files[0].read_text(), f"process {files[0].name[1:]}, ")
        self.refused(125, "%p the process", "--report=a%x", "true")
        self.refused(125, "%p the process", "--report=a%", "true")

    def test_rank_in_json(self):
        self.assertEqual(self.json(OMPI_COMM_WORLD_RANK="12", SLURM_PROCID="0", FAKE="counts")["rank"], 12)

    def test_standard_output(self):
        result = self.run_tool("--json", "--report=-", "echo", "{", FAKE="counts")
        self.assertEqual(result.stderr, "")
        self.assertEqual(json.loads(result.stdout[2:])["sum"]["emu::STORES"], 17)

    def test_unwritable(self):
        self.refused(125, "report none/out: No such file", "--report=none/out", "sh", "-c", "touch ran")
        self.assertFalse((self.folder / "ran").exists())

    def test_full_disk(self):
        result = self.run_tool("--report=/dev/full", "sh", "-c", "exit 5", FAKE="counts")
        self.assertEqual(result.returncode, 5)
        self.assertRegex(result.stderr, "report /dev/full: No space left")

    def test_reader_went_away(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        with open(write_end, "wb") as pipe:
            result = subprocess.run([TOOL, "--report", "sh", "-c", "exit 5"], env=environment(FAKE="counts"),
                                    stderr=pipe, timeout=LIMIT, check=False)
        self.assertEqual(result.returncode, 5)

    def test_killed_program(self):
        result = self.run_tool("--report", "sh", "-c", "kill -KILL $$", FAKE="counts")
        self.assertEqual(result.returncode, -signal.SIGKILL)
        self.assertEqual(self.count(result.stderr, "INSTRUCTIONS")[0], 1000111)

    def test_nothing_left_behind(self):
        def shared_memory():  # by the names that it gives to memory: others make files there at the same time
            names = os.listdir("/dev/shm") if os.path.isdir("/dev/shm") else []
            return {name for name in names if re.match("papi_(emulat|recording)", name)}

        before = shared_memory()
        self.text("--report", FAKE="counts")
        self.assertEqual(shared_memory() - before, set())


class Fault(Case):
    """An instruction that the emulator lacks."""
    ILL = ("sh", "-c", "kill -ILL $$")

    def message(self, fake, program=ILL):
        result = self.run_tool(*program, FAKE=fake)
        return re.sub(r"\s+", " ", result.stderr)

    def test_in_program(self):
        text = self.message("fault")
        self.assertRegex(text, r"^papi_emulate: (/\S*/\w*sh) needs AVX-512: vaddpd zmm0, zmm1, zmm2 "
                         r"at 0x401234 \(\+0x1234 in \1\) The emulated processor has no AVX-512\. "
                         r"Compile without -march=native, -mavx512f and the like: -march=haswell")

    def test_in_library(self):
        text = self.message("library")
        self.assertIn("(+0x1234 in /usr/lib/libopenblas.so.0)", text)
        self.assertIn("OPENBLAS_CORETYPE=Haswell", text)
        self.assertIn("The instruction is in a library: compile that without -march=native", text)

    def test_of_no_known_kind(self):
        text = self.message("bytes")
        self.assertRegex(text, r"needs an instruction that the emulator lacks: bytes 06 07 at 0x401234 .* "
                         "Compile without -march=native and the like")

    def test_ends_of_another_cause(self):
        for end in ("kill -TERM $$", "kill -KILL $$", "exit 0"):
            self.assertEqual(self.message("fault", ("sh", "-c", end)), "")

    def test_handlers(self):
        """That of a Fortran program prints where it is, and ends in one way or another."""
        for end in ("exit 1", "kill -ABRT $$", "kill -SEGV $$"):
            self.assertIn("needs AVX-512", self.message("fault", ("sh", "-c", end)))

    def test_json(self):
        result = self.run_tool("--json", "--report=r", *self.ILL, FAKE="fault")
        self.assertEqual(result.returncode, -signal.SIGILL)
        data = json.loads((self.folder / "r").read_text())
        fault = data["programs"][0]["lacking_instruction"]
        self.assertEqual((fault["needs"], fault["address"], fault["offset"]), ("AVX-512", "0x401234", 0x1234))


if __name__ == "__main__":
    assert os.access(TOOL, os.X_OK) and os.access(FAKE, os.X_OK)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
