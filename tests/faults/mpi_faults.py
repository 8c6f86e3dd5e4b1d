# SPDX-License-Identifier: BSD-3-Clause
"""Faults in one rank of an MPI job, at its start, its end and between: the program ends well with its own right
result, and the job's result is that of a job without a fault, or is missing or partial and somebody says so.

    mpi_faults.py PROGRAM INJECTOR            some faults
    mpi_faults.py PROGRAM INJECTOR --all [N]  every one, or N of each kind and rank, evenly spread
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

from mpirun import WRAPPER, run

KINDS = ['memory', 'sys_open', 'sys_read', 'sys_mmap', 'sys_write', 'sys_ftruncate', 'sys_mkdir', 'sys_rename',
         'sys_link', 'sys_fcntl', 'sys_ioctl', 'sys_perf_event_open', 'dlopen', 'pthread_key_create', 'pthread_create',
         'pthread_atfork']
FEW = ['memory', 'sys_open', 'sys_ftruncate', 'sys_mkdir', 'sys_write', 'sys_mmap', 'sys_rename']
# What a program may call and the project does not: there is nothing to fail.
NOBODY_CALLS = re.compile(r'^(sem_\w+|flock|lockf|thrd_create|shm_open|memfd_create)$')
PROGRAM, INJECTOR = sys.argv[1:3]
Job = collections.namedtuple('Job', 'outcome calls')


def job(kind, n, rank):
    with_folder = {}
    holder = pathlib.Path(os.environ.get('TMPDIR', '/tmp')) / f'faults.{os.getpid()}.{kind}.{n}.{rank}'
    scratch = holder / 'tmp'
    scratch.mkdir(parents=True)
    try:
        outcome = run(None, 2, [PROGRAM], preload=f'{WRAPPER}:{INJECTOR}', timeout=600,
                      env={'FAULTS': f'{kind}:{n}', 'FAULTS_RANK': rank, 'FAULTS_COUNT': holder / 'count',
                           'PAPI_MPI_REPORT': '0', 'TMPDIR': scratch})
        counted = (holder / 'count').read_text().split() if (holder / 'count').exists() else ['0']
        with_folder['left'] = [str(path.name) for path in scratch.rglob('*') if path.is_file()]
        with_folder['records'] = [path.name for path in outcome.records.rglob('*')]
    finally:
        subprocess.run(['rm', '-rf', str(holder)], check=False)
    outcome.left, outcome.kept = with_folder['left'], with_folder['records']
    return Job(outcome, int(counted[0]))


def figures(result):
    """What does not depend on time."""
    return ([(call['name'], call['calls'], call['bytes'], call['ranks']) for call in result['calls']],
            result['job']['ranks'], result['job']['present'], result['job']['unfinished'])


def judge(what, outcome, expected):
    errors = outcome.errors.strip()
    if outcome.status is None:
        return f'FINDING {what}: the job did not end: {errors[-500:]}'
    if outcome.status != 0 or outcome.output != expected.output:
        return f'FINDING {what}: the program ended with {outcome.status}, output "{outcome.output}", "{errors[-500:]}"'
    if outcome.left:
        return f'FINDING {what}: left in TMPDIR: {outcome.left}'
    whole = outcome.result is not None and figures(outcome.result) == figures(expected.result)
    if whole and outcome.kept:
        return f'FINDING {what}: the result is whole, and records are left: {outcome.kept}'
    if not whole and not errors:
        return (f'FINDING {what}: nobody says why the result '
                + ('is missing' if outcome.result is None else f'has {figures(outcome.result)}'))
    return None


def shared_memory():
    folder = pathlib.Path('/dev/shm')
    return {path.name for path in folder.iterdir() if 'papi_mpi' in path.name} if folder.is_dir() else set()


def uncalled():
    """The imports of the libraries have none of these."""
    libraries = {WRAPPER, *re.findall(r'(\S*libpapi\S*) ', subprocess.run(['ldd', WRAPPER], capture_output=True,
                                                                         text=True, check=True).stdout)}
    libraries = [library for library in libraries if os.path.isabs(library)]
    imports = subprocess.run(['nm', '-D', '--undefined-only', *libraries], capture_output=True, text=True,
                             check=True).stdout
    names = {line.split()[-1].split('@')[0] for line in imports.split('\n') if ' U ' in line}
    if 'malloc' not in names:
        sys.exit(f'FAILED: no imports of {libraries} were read')
    called = sorted(name for name in names if NOBODY_CALLS.match(name))
    print(f'sem_*, flock, lockf, shm_open, memfd_create: called by nobody of {len(libraries)} libraries'
          if not called else f'FINDING: {called} are called, and no fault of theirs is injected')
    return not called


def main():
    most = (int(sys.argv[4]) if len(sys.argv) > 4 else None) if '--all' in sys.argv else 1
    shared, expected = shared_memory(), job('memory', 0, 0).outcome
    if expected.result is None or expected.status != 0:
        sys.exit(f'FAILED: the job without a fault: {expected.status} {expected.output} {expected.errors}')
    findings, total, by_kind = [], 0, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for kind in KINDS if '--all' in sys.argv else FEW:
            faults, calls = 0, 0
            for rank in (0, 1) if '--all' in sys.argv else [len(by_kind) % 2]:
                n_calls = job(kind, 0, rank).calls
                step = max(1, -(-n_calls // most)) if most else 1
                jobs = {n: pool.submit(job, kind, n, rank) for n in range(1 + step // 2, n_calls + 1, step)}
                for i, (n, done) in enumerate(jobs.items()):
                    findings += filter(None, [judge(f'{kind}:{n} in rank {rank}', done.result().outcome, expected)])
                    if i % 200 == 199:
                        print(f'{i + 1} of {len(jobs)} {kind} in rank {rank}', file=sys.stderr, flush=True)
                faults, calls = faults + len(jobs), calls + n_calls
            by_kind.append(f'{faults} {kind} of {calls} calls')
            total += faults
            print(f'{total} faults, {len(findings)} findings', file=sys.stderr, flush=True)
    left = shared_memory() - shared
    if left:
        findings.append(f'FINDING: left in /dev/shm: {left}')
    print('\n'.join(findings + [f'{total} faults ({", ".join(by_kind)}), {len(findings)} findings']))
    sys.exit(0 if uncalled() and not findings and total > 0 else 1)


main()
