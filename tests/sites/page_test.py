#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What papi_command_line --openmetrics writes: page_test.py TOOL PROMTOOL CASE, or page_test.py list

Each page is read by openmetrics.py; promtool, of Debian's package prometheus (fetch.sh), judges files for the textfile collector
("" or NOTFOUND: the cases of promtool are skipped). Status: 0 passed, 1 failed, 77 skipped.
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import openmetrics

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position


def check(holds, *what):
    if not holds:
        raise openmetrics.Wrong(" ".join(map(str, what)))


def write(root, path, text):
    file = os.path.join(os.fsencode(root), os.fsencode(path))
    os.makedirs(os.path.dirname(file), exist_ok=True)
    # In place, as the kernel's files are: whoever has it open sees the new text.
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT, 0o644)
    os.pwrite(descriptor, text.encode(), 0)
    os.ftruncate(descriptor, len(text))
    os.close(descriptor)


def node(root):
    """Files of a machine with energies, sensors, networks and disks."""
    for name, text in (("name", "package-0"), ("enabled", "1"), ("energy_uj", "3000"), ("max_energy_range_uj", "262143328850")):
        write(root, f"sys/class/powercap/intel-rapl:0/{name}", text + "\n")
    write(root, "sys/class/hwmon/hwmon0/name", "coretemp\n")
    write(root, "sys/class/hwmon/hwmon0/temp1_input", "41500\n")
    for device in ("eth0", "eth1"):
        write(root, f"sys/class/net/{device}/statistics/rx_bytes", "70\n")
    return {"PAPI_SYSROOT": str(root)}


EVENTS = ["powercap:::ENERGY_UJ:ZONE0", "coretemp:::hwmon0:temp1_input", "net:::eth0:rx:bytes", "net:::eth1:rx:bytes"]


def counted(tool, root, *words, command, environment):
    result = running.run(tool, *words, "--", "sh", "-c", command, cwd=root, text=False, env=running.clean(**environment))
    check(result.returncode == 0 and not result.stderr, result)
    return result.stdout


def units(tool, _):
    """Values are in base units, and the names say which."""
    with tempfile.TemporaryDirectory() as root:
        environment = node(root)
        page = counted(tool, root, "--openmetrics", *EVENTS, environment=environment,
                       command="echo 1503500 >sys/class/powercap/intel-rapl:0/energy_uj; echo 75 >sys/class/net/eth1/statistics/rx_bytes")
        samples, families = openmetrics.read(page)
        check(openmetrics.value(samples, "papi_powercap_energy_joules_total", device="ZONE0", event=EVENTS[0]) == 1.5005, page)
        check(openmetrics.value(samples, "papi_coretemp_temp1_input_celsius", device="hwmon0") == 41.5, page)
        check(openmetrics.value(samples, "papi_net_rx_bytes_total", device="eth0") == 0, page)
        check(openmetrics.value(samples, "papi_net_rx_bytes_total", device="eth1") == 5, page)
        check(openmetrics.value(samples, "papi_lost_counts_total") == 0, page)
        check(families["papi_coretemp_temp1_input_celsius"]["TYPE"] == "gauge", families)
        check(families["papi_powercap_energy_joules"]["UNIT"] == "joules", families)


@contextlib.contextmanager
def watched(tool, root, environment, path, *events):
    process = subprocess.Popen([tool, "-i", "0.02", f"--openmetrics={path}", *events], cwd=root, stderr=subprocess.PIPE,
                               env=running.clean(**environment))
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(path, holds):
    """The samples of the first page for which that holds, of those that follow each other in the file; each must be whole."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if os.path.exists(path):
            samples = openmetrics.read(pathlib.Path(path).read_bytes(), path.endswith(".prom"))[0]
            if holds(samples):
                return samples
        time.sleep(0.001)
    raise openmetrics.Wrong(f"no such page within half a minute: {samples}")


def finish(process):
    process.send_signal(signal.SIGINT)
    errors = process.communicate()[1].decode()
    check(process.returncode == 0, process.returncode, errors)
    return errors


def replaced(tool, _):
    """A file that somebody reads meanwhile is whole each time, and nothing is left beside it."""
    with tempfile.TemporaryDirectory() as root:
        environment = node(root)
        for name in ("page.om", "page.prom"):
            path = os.path.join(root, name)
            with watched(tool, root, environment, path, *EVENTS) as process:
                seen = 0
                until(path, lambda samples: True)
                for grown in range(1, 6):
                    write(root, "sys/class/net/eth0/statistics/rx_bytes", f"{70 + seen + grown}\n")
                    seen += grown
                    until(path, lambda samples, seen=seen: openmetrics.value(samples, "papi_net_rx_bytes_total", device="eth0") == seen)
                errors = finish(process)
                check(not errors, errors)
                write(root, "sys/class/net/eth0/statistics/rx_bytes", "70\n")
            check(sorted(file for file in os.listdir(root) if "page" in file) == sorted({"page.om", name}), os.listdir(root))


def never_back(tool, _):
    """A counter that begins anew does not go back: what is lost is counted, and said."""
    with tempfile.TemporaryDirectory() as root:
        environment = node(root)
        path = os.path.join(root, "page.om")
        rx = "sys/class/net/eth0/statistics/rx_bytes"
        with watched(tool, root, environment, path, *EVENTS) as process:
            until(path, lambda samples: True)
            write(root, rx, "1070\n")
            until(path, lambda samples: openmetrics.value(samples, "papi_net_rx_bytes_total", device="eth0") == 1000)
            write(root, rx, "10\n")
            samples = until(path, lambda samples: openmetrics.value(samples, "papi_lost_counts_total") > 0)
            begun = openmetrics.value(samples, "papi_net_rx_bytes_total", device="eth0")
            check(begun == 1000, "a counter went back, or forth:", samples)
            write(root, rx, "35\n")
            until(path, lambda samples: openmetrics.value(samples, "papi_net_rx_bytes_total", device="eth0") == begun + 25)
            errors = finish(process)
        check("net:::eth0:rx:bytes began anew" in errors, errors)


def hostile_names(tool, _):
    """Names of devices become labels; none breaks a page, and two that look alike are one."""
    for device in (b'a"b', b"a\\b", b"a\nb", b"a\xffb", b'"} 1\n# EOF', b"\x1b[2J", "é漢".encode()):
        with tempfile.TemporaryDirectory() as root:
            write(root, b"sys/class/net/" + device + b"/statistics/rx_bytes", "70\n")
            result = running.run(tool, "--openmetrics", b"net:::" + device + b":rx:bytes", text=False,
                                 env=running.clean(PAPI_SYSROOT=root))
            check(result.returncode == 0, result)
            samples, _ = openmetrics.read(result.stdout)
            found = [dict(labels)["device"] for name, labels in samples if name == "papi_net_rx_bytes_total"]
            check(len(found) == 1, result.stdout)
            plain = device.isalpha() or device in (b'a"b', b"a\\b")
            check(not plain or found == [device.decode()], device, found)
    with tempfile.TemporaryDirectory() as root:
        alike = [b"a\x1bb", b"a\\x1bb"]
        for device in alike:
            write(root, b"sys/class/net/" + device + b"/statistics/rx_bytes", "70\n")
        result = running.run(tool, "--openmetrics", *[b"net:::" + device + b":rx:bytes" for device in alike], text=False,
                             env=running.clean(PAPI_SYSROOT=root))
        openmetrics.read(result.stdout)


def reader(*_):
    """The reader of these tests finds what it is for."""
    good = '# TYPE a counter\n# UNIT a_s s\n'.replace("# UNIT a_s s\n", "") + '# HELP a x\na_total{l="v"} 1\n# EOF\n'
    openmetrics.read(good)
    for old, new in (("# EOF\n", ""), ("a_total", "a"), ('"v"', '"v'), ("} 1", "} -1"), ("# HELP a x", "# TYPE a gauge"),
                     ("# HELP", "# UNIT"), ("} 1\n", '} 1\na_total{l="v"} 2\n'), ('"v"', '"\\v"'), ("# EOF", "# EOF\n")):
        try:
            openmetrics.read(good.replace(old, new))
        except (openmetrics.Wrong, ValueError):
            continue
        raise openmetrics.Wrong(f"{new!r} in the place of {old!r} is not found")


def promtool(tool, program):
    """Prometheus' own judge of names, types and helps finds nothing in a file for the textfile collector."""
    if not program or program.endswith("NOTFOUND"):
        print("SKIP: promtool is not here, of Debian's package prometheus")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as root:
        environment = node(root)
        path = os.path.join(root, "page.prom")
        counted(tool, root, f"--openmetrics={path}", *EVENTS, command="true", environment=environment)
        page = pathlib.Path(path).read_bytes()
        samples = openmetrics.read(page, older=True)[0]
        result = subprocess.run([program, "check", "metrics"], input=page, capture_output=True, check=False)
        check(result.returncode == 0 and not result.stderr, result, json.dumps([str(key) for key in samples]))
        wrong = subprocess.run([program, "check", "metrics"], input=page.replace(b"_total", b""), capture_output=True, check=False)
        check(wrong.returncode != 0, "promtool finds nothing where there is something")


CASES = {case.__name__: case for case in (units, replaced, never_back, hostile_names, reader, promtool)}


def main():
    if sys.argv[1] == "list":
        print("\n".join(CASES))
        return 0
    try:
        CASES[sys.argv[3]](*sys.argv[1:3])
    except openmetrics.Wrong as problem:
        print(problem)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
