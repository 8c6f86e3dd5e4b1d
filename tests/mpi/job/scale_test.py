#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The reduction of a job, simulated: scale_test.py MPI_SCALE

Every tree gives the same bits, the binomial one's longest path has ceil(log2(ranks)) blocks, and memory does not
grow with the number of ranks."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from running import run  # noqa: E402 pylint: disable=wrong-import-position

TREES = ["binomial", "16 children", "random", "chain"]


def simulate(program, ranks):
    done = run(program, ranks, status=0)
    block = int(re.search(r"a block of (\d+) bytes", done.stdout)[1])
    memory = int(re.search(r"peak memory (\d+) KB", done.stdout)[1])
    rows = re.findall(r"^(\S.*?) +(\d+) +(\d+) +[\d.]+ +[\d.]+ +(\S+)$", done.stdout, re.M)
    trees = {name: (int(messages), int(size), result) for name, messages, size, result in rows}
    assert list(trees) == TREES, done.stdout
    return block, memory, trees


def node(program):
    """The tree of a node's ranks: one message up and one down for each but the first, and for a rank with them all
    below it two for each level."""
    for ranks, most in [(1, 0), (2, 2), (3, 4), (16, 8), (64, 12), (100, 14), (1024, 20)]:
        done = run(program, "--node", ranks, status=0)
        assert f"{ranks} ranks of a node: {2 * (ranks - 1)} messages, at most {most} of one rank, 0 wrong" in done.stdout, done.stdout


def start(program):
    """What the ranks that ask for their machine ask of the launcher grows with the levels of a tree of 16 branches at most:
    what one looks up at a time, how often one tells something, and how often all must look. For a machine it is constant."""
    for ranks, levels in [(16, 1), (256, 2), (4096, 3), (65536, 4), (100000, 5)]:
        done = run(program, "--start", ranks, status=0)
        rows = [line.split() for line in done.stdout.splitlines() if line.endswith("   agreed")]
        assert len(rows) == 3, done.stdout
        for *_, turns, at_once, most_looked, most_told, looked, told, _ in rows:
            assert int(turns) <= levels + 2, done.stdout
            # Of each branch who collects there and what that one has told, and the answer.
            assert int(at_once) <= 2 * 16 * levels + 1, done.stdout
            assert int(most_looked) <= (2 * 16 * levels + 1) * int(turns), done.stdout
            assert int(most_told) <= 3 * (levels + 1), done.stdout
            assert float(looked) <= 12 and float(told) <= 5, done.stdout


def main():
    program = sys.argv[1]
    node(program)
    start(program)
    memories = []
    for ranks, levels in [(1, 0), (2, 1), (3, 2), (1000, 10), (20000, 15)]:
        block, memory, trees = simulate(program, ranks)
        memories.append(memory)
        assert 20000 < block < 512 * 1024, block
        assert trees["binomial"][:2] == (levels, levels * block), (ranks, trees)
        assert trees["chain"][:2] == (ranks - 1, (ranks - 1) * block), (ranks, trees)
        assert levels <= trees["random"][0] < ranks or ranks < 3, (ranks, trees)
        for name in TREES[1:]:
            assert trees[name][2] == "identical", (ranks, name)
    # 20,000 blocks would be 1.9 GB; the order of the random tree is 4 bytes a rank, and the tree itself deep.
    assert memories[-1] - memories[0] < 100 * 1024, memories
    print(f"20,000 ranks: the longest path is {levels} blocks of {block} bytes; peak memory {memories[-1]} KB")


main()
