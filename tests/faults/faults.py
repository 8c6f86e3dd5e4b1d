# SPDX-License-Identifier: BSD-3-Clause
"""Faults at the n-th call: some of them (a test of each group), or every one.

    faults.py SCENARIO INJECTOR TOOLS GROUP          some faults of a group
    faults.py SCENARIO INJECTOR TOOLS --all [JOBS]   every fault of every group; prints its figures at the end
"""
import concurrent.futures
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

SYSTEM = ['sys_perf_event_open', 'sys_open', 'sys_read', 'sys_read_interrupted', 'sys_ioctl', 'sys_fcntl', 'sys_mmap',
          'sys_write', 'sys_open:24'] # EMFILE
CALLS = ['pthread_key_create', 'pthread_create', 'pthread_atfork', 'dlopen', 'timer_create', 'sigaction']
# Cases of the scenario: event files; and those of components, of which the last is one of a counted build.
CASE_EVENTS, CASES_COMPONENTS, CASE_COUNTED = 1, (13, 14, 15), 16
COMPONENTS = ['memory', 'sys_open', 'sys_open:24', 'sys_read', 'sys_read_interrupted', 'sys_mmap']
# Each with the number of faults that a short run injects.
GROUPS = {'memory': (['memory'], 12), 'calls': (CALLS, 4), 'system': (SYSTEM, 5)}
FILES_STEP = 3 # of the allocations beside an event file
TOOLS = [['papi_avail'], ['papi_native_avail'], ['papi_component_avail'], ['papi_command_line', 'perf::PAGE-FAULTS'],
         ['papi_mem_info'], ['papi_event_chooser', 'NATIVE', 'perf::PAGE-FAULTS'], ['papi_decode'],
         ['papi_xml_event_info'], ['papi_doctor', '--json']]
# What others wrote, shown in each form, and the tools that make such files.
SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'fuzz', 'seeds')
PROFILE, RESULT, ROOFS = (os.path.join(SEEDS, *name) for name in
                          (('profile_files', 'ranks'), ('results', 'two_ranks'), ('roofs', 'points')))
REPORT = '../../mpi-wrappers/report/papi_mpi_report'
FILE_TOOLS = [['../profile/papi_profile', '--show=' + PROFILE], ['../profile/papi_profile', '--json', '--show=' + PROFILE]]
FILE_TOOLS += [['../profile/papi_profile', f'--export={name}=-', '--show=' + PROFILE]
               for name in ('html', 'callgrind', 'folded', 'pprof', 'speedscope')]
FILE_TOOLS += [['../profile/papi_profile', '-o', '/dev/null', '--stacks=none', 'true'],
               ['../roofline/papi_roofline', '--show=' + ROOFS], ['../roofline/papi_roofline', '--html=page', '--show=' + ROOFS],
               ['../profile/papi_profile', '--export=html=page', '--show=' + PROFILE],
               [REPORT, RESULT], [REPORT, '--csv=sites', RESULT], [REPORT, '--html', RESULT],
               [REPORT, '--reference=' + RESULT, RESULT]]
FILE_KINDS = ['memory', 'sys_open', 'sys_open:24', 'sys_open:13', 'sys_read', 'sys_read_interrupted', 'sys_write',
              'sys_mmap']
TOOL_KINDS = ['memory', 'sys_open', 'sys_read', 'sys_perf_event_open', 'sys_write']
# Of a tool's calls of a kind so many at most are failed, evenly spread, where all of them would take hours.
MOST_OF_A_TOOL = 50
PAGE = '=page' # an argument of those that make a file, of which they leave no part behind
# A tool's words for what it lacks, and the library's own for the injected faults.
NAMED = re.compile(r'no file descriptor is free|[Oo]ut of memory|Cannot allocate memory|Too many open files')
# What it counts is another number each time: the trap of a system call touches pages, too.
COUNT = re.compile(r'(?<=: \t)[\d.e+]+(?: s)?$', re.M)
LACKS = re.compile(r'memory|Permission denied|descriptor|[Tt]oo many open files|cannot|system|could not|Resource|failed|No space|Input/output error', re.I)


class Figures:
    def __init__(self):
        self.faults, self.calls, self.clean, self.left_out, self.findings = {}, {}, 0, 0, []
        self.last = 0.0

    def add(self, kind, faults, clean, left_out, findings):
        self.faults[kind] = self.faults.get(kind, 0) + faults
        self.clean += clean
        self.left_out += left_out
        self.find(findings)
        if time.monotonic() - self.last >= 1:
            self.last = time.monotonic()
            print(f'{sum(self.faults.values())} faults, {self.clean} clean, {len(self.findings)} findings',
                  file=sys.stderr, flush=True)

    def find(self, findings):
        self.findings += findings
        for finding in findings:
            print(finding, flush=True)

    def of(self, kind, calls):
        """So many calls of the kind there were: all of them, or some, are failed."""
        self.calls[kind] = self.calls.get(kind, 0) + calls
        self.faults.setdefault(kind, 0)

    def end(self):
        by_kind = ', '.join(f'{n} {kind}' + (f' of {self.calls[kind]} calls' if kind in self.calls else '')
                            for kind, n in self.faults.items())
        print(f'{sum(self.faults.values())} faults ({by_kind}), {self.clean} clean, {len(self.findings)} findings; '
              f'{self.left_out} calls inside other libraries were let alone')
        return 1 if self.findings or self.clean != sum(self.faults.values()) or not self.faults else 0


def scenario(program, kind, first, step, last, case=None):
    env = dict(os.environ) if case is None else dict(os.environ, FAULTS_CASE=str(case))
    kind, *error = kind.split(':')
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, kind, str(first), str(step), str(last)] + error, cwd=folder, env=env,
                             capture_output=True, text=True, errors='replace', timeout=3600)
    found = re.search(r'(\d+) calls, (\d+) inside other libraries let alone, (\d+) faults, (\d+) clean', run.stdout)
    findings = re.split(r'\n(?=FINDING)', run.stdout[run.stdout.index('FINDING'):]) if 'FINDING' in run.stdout else []
    if not found:
        return 0, 0, 0, 0, findings or [f'FINDING {kind}: status {run.returncode}: {run.stderr}']
    calls, left_out, faults, clean = map(int, found.groups())
    return calls, left_out, faults, clean, findings


def judged(command, env, what):
    """The scenario under other circumstances: it says what it lacks, and crashes nowhere."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        run = subprocess.run(command, cwd=folder, env=dict(os.environ, **env), capture_output=True, text=True,
                             errors='replace', timeout=600)
    return [line for line in run.stdout.split('\n') if line.startswith('FINDING')] or (
        [] if run.returncode == 0 else [f'FINDING {what}: status {run.returncode} {run.stderr}'])


def limited(program, name, value, nobody=False):
    env = {'FAULTS_LIMIT': f'{getattr(resource, name)}:{value}'}
    if nobody:
        env['FAULTS_NOBODY'] = '1'
    return judged([program, f'{name}={value}' + (' as nobody' if nobody else ''), '1', '1', '1'], env, name)


MEMORY_LIMITS = ['+0', '+4096', '+65536', '+262144', '+1048576', '+2097152', '+4194304', '+8388608', '+12582912',
                 '+16777216', '+33554432']


def limits(figures, program, some, pool):
    cases = [('RLIMIT_NOFILE', value, False) for value in range(0, 65, 13 if some else 1)]
    cases += [(name, 0, False) for name in ('RLIMIT_MEMLOCK', 'RLIMIT_NPROC', 'RLIMIT_SIGPENDING', 'RLIMIT_FSIZE')]
    cases += [(name, value, False) for name in ('RLIMIT_AS', 'RLIMIT_DATA')
              for value in MEMORY_LIMITS[::5 if some else 1]]
    if os.geteuid() == 0:
        cases += [('RLIMIT_MEMLOCK', 0, True), ('RLIMIT_NPROC', 0, True)]
    else:
        print('SKIP: limits of processes and locked memory as nobody: not run by root')
    for job in [pool.submit(limited, program, *case) for case in cases]:
        findings = job.result()
        figures.add('limits', 1, not findings, 0, findings)


def full_disk(figures, program):
    """The folder of the results has not a byte left: a small file system of the scenario's own."""
    mount = 'mount -t tmpfs -o size=256k tmpfs . && cd "$PWD"'
    if subprocess.run(['unshare', '-m', 'sh', '-c', 'cd /mnt && ' + mount], capture_output=True).returncode != 0:
        print('SKIP: a full disk: a file system of its own (unshare -m, mount) is not permitted here')
        return
    findings = judged(['unshare', '-m', 'sh', '-c', mount + ' && exec "$0" full-disk 1 1 1', program],
                      {'FAULTS_FULL': '1'}, 'full disk')
    figures.add('full disk', 1, not findings, 0, findings)


def tool(injector, command, kind, n, expected):
    """Output as without the fault, or a message and a status; the number of calls."""
    with tempfile.NamedTemporaryFile() as count, tempfile.TemporaryDirectory() as folder:
        name, *error = kind.split(':')
        env = dict(os.environ, LD_PRELOAD=injector, FAULTS=':'.join([name, str(n)] + error), FAULTS_COUNT=count.name)
        run = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, errors='replace', timeout=600)
        counted = open(count.name, encoding='ascii').read().split()
        parts = [left for left in os.listdir(folder) if left.endswith('.part')]
    calls = int(counted[0]) if counted else 0
    if parts:
        return run, calls, f'FINDING {" ".join(command)} {kind}:{n}: leaves {" ".join(parts)} behind'
    if expected is None or (run.returncode == expected.returncode and
                            COUNT.sub('N', run.stdout) == COUNT.sub('N', expected.stdout)):
        return run, calls, None
    if run.returncode > 0 and LACKS.search(run.stderr + run.stdout):
        return run, calls, None
    # The reason why something does not count may be the fault itself.
    known = set(expected.stdout.split('\n'))
    other = ' '.join(line.strip() for line in run.stdout.split('\n') if line not in known)
    if run.returncode == 0 and NAMED.search(other):
        return run, calls, None
    return run, calls, (f'FINDING {" ".join(command)} {kind}:{n}: status {run.returncode}, "{run.stderr[:300]}", output '
                        + ('as without the fault' if run.stdout == expected.stdout else 'differs'))


def tools(figures, injector, folder, some, pool):
    for command, kinds in [(command, TOOL_KINDS) for command in TOOLS] + [(command, FILE_KINDS) for command in FILE_TOOLS]:
        command = [os.path.join(folder, command[0])] + command[1:]
        if not os.path.exists(command[0]):
            print(f'SKIP: {command[0]} is not built here')
            continue
        for kind in kinds:
            expected, calls, _ = tool(injector, command, kind, 0, None)
            makes_page = kind == 'memory' and any(word.endswith(PAGE) for word in command)
            step = max(1, -(-calls // (MOST_OF_A_TOOL if makes_page else some or MOST_OF_A_TOOL)))
            figures.of(f'tools {kind}', calls)
            jobs = [pool.submit(tool, injector, command, kind, n, expected) for n in range(1, calls + 1, step)]
            for job in jobs:
                finding = job.result()[2]
                figures.add(f'tools {kind}', 1, finding is None, 0, [finding] if finding else [])


def files(figures, program, pool):
    """Every third allocation while the user's event file is read and what it defines is asked for: the answer is the
    file's or an error, never the built-in definition."""
    calls = scenario(program, 'memory', 1, 1, -1, CASE_EVENTS)[0]
    kind = 'memory with event files'
    figures.of(kind, calls)
    for job in [pool.submit(scenario, program, 'memory', first, FILES_STEP, min(first + 149, calls), CASE_EVENTS)
                for first in range(1, calls + 1, 150)]:
        _, _, faults, clean, findings = job.result()
        figures.add(kind, faults, clean, 0, findings)


def components(figures, program, some, pool):
    """What is newer than the rest of the scenario, case by case; and counted where papi_counted has built it."""
    counted = os.path.join(os.path.dirname(program), 'faults_counted')
    cases = [(program, case) for case in CASES_COMPONENTS if some] # with --all they are among the others
    if os.path.exists(counted):
        cases.append((counted, CASE_COUNTED))
    for of, case in cases:
        for kind in COMPONENTS:
            calls = scenario(of, kind, 1, 1, -1, case)[0]
            step = max(1, calls // (some or calls or 1))
            what = f'components {kind}'
            figures.of(what, calls)
            for job in [pool.submit(scenario, of, kind, first, step, min(first + 20 * step - 1, calls), case)
                        for first in range(1, calls + 1, 20 * step)]:
                _, _, faults, clean, findings = job.result()
                figures.add(what, faults, clean, 0, findings)


def group(figures, program, name, some, pool):
    kinds, wanted = GROUPS[name]
    for kind in kinds:
        calls, left_out, _, _, failed = scenario(program, kind, 1, 1, -1)
        figures.of(kind, calls)
        figures.find(failed)
        if some:
            step = max(1, calls // wanted)
            jobs = [pool.submit(scenario, program, kind, 1 + step // 2, step, 0)]
        else:
            jobs = [pool.submit(scenario, program, kind, first, 1, min(first + 19, calls))
                    for first in range(1, calls + 1, 20)]
        for job in concurrent.futures.as_completed(jobs):
            _, _, faults, clean, findings = job.result()
            figures.add(kind, faults, clean, 0, findings)
        figures.left_out += left_out


def main():
    program, injector, folder = map(os.path.abspath, sys.argv[1:4])
    what = sys.argv[4]
    figures, some = Figures(), what != '--all'
    n_jobs = int(sys.argv[5]) if len(sys.argv) > 5 else os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(n_jobs) as pool:
        for name in GROUPS:
            if what in (name, '--all'):
                group(figures, program, name, some, pool)
        if what == 'files': # with --all they are among the others
            files(figures, program, pool)
        if what in ('components', '--all'):
            components(figures, program, 5 if some else 0, pool)
        if what in ('limits', '--all'):
            limits(figures, program, some, pool)
            full_disk(figures, program)
        if what in ('tools', '--all'):
            tools(figures, injector, folder, 2 if some else 0, pool)
    sys.exit(figures.end())


main()
