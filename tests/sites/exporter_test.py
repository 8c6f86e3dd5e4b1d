#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_exporter: exporter_test.py EXPORTER PROMETHEUS PROMTOOL UNITS CASE, or exporter_test.py list

Clients are as clumsy and hostile as they come, all of them on this machine. PROMETHEUS and PROMTOOL are of Debian's package
prometheus; the cases of those that are not here ("" or NOTFOUND) are skipped. UNITS is the folder of the units of systemd.
Status: 0 passed, 1 failed, 77 skipped.
"""
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import openmetrics
from page_test import check, node, write

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

EVENTS = ["net:::*:rx:bytes", "powercap:::ENERGY_UJ:ZONE0", "coretemp:::hwmon0:temp1_input"]
OPEN = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
LONGEST = 10  # seconds that a connection may take: page_server.h
RX = "sys/class/net/eth0/statistics/rx_bytes"


def skip(why):
    print("SKIP: " + why)
    sys.exit(77)


class Exporter:
    def __init__(self, process, port):
        self.process, self.port = process, port

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def ask(self, path="/metrics", method="GET", accept=OPEN, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, {"Accept": accept} if accept else {})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response, text

    def samples(self):
        return openmetrics.read(self.ask()[1])[0]

    def files(self):
        """How many are open, when the last connection is gone."""
        counts = []
        for _ in range(10):
            counts.append(len(os.listdir(f"/proc/{self.process.pid}/fd")))
            time.sleep(0.05)
        return min(counts)


@contextlib.contextmanager
def exporter(tool, *words, environment=None, listen="127.0.0.1:0", **how):
    process = subprocess.Popen([tool, f"--listen={listen}", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=running.clean(**(environment or {})), **how)
    try:
        line = process.stdout.readline().decode()
        match = re.fullmatch(r"(\d+) events at \S+:(\d+)\n", line)
        check(match, line, "" if match else process.communicate()[1])
        yield Exporter(process, int(match[2]))
        check(process.poll() is None, "it has ended:", process.poll())
        process.send_signal(signal.SIGTERM)
        errors = process.communicate(timeout=60)[1]
        check(process.returncode == 0 and not errors, process.returncode, errors)
    finally:
        process.kill()
        process.wait()


def answers(files):
    with tempfile.TemporaryDirectory() as root, exporter(files.tool, *EVENTS, "--percent=100", environment=node(root)) as served:
        response, text = served.ask()
        check(response.status == 200 and response.getheader("Content-Type").startswith("application/openmetrics-text; version=1.0.0"),
              response.getheaders())
        first = openmetrics.value(openmetrics.read(text)[0], "papi_net_rx_bytes_total", device="eth0")
        write(root, RX, "1000070\n")
        write(root, "sys/class/powercap/intel-rapl:0/energy_uj", "2503000\n")
        time.sleep(0.3)
        samples = served.samples()
        check(openmetrics.value(samples, "papi_net_rx_bytes_total", device="eth0") - first == 1000000, samples)
        check(openmetrics.value(samples, "papi_powercap_energy_joules_total") == 2.5, samples)
        check(openmetrics.value(samples, "papi_coretemp_temp1_input_celsius") == 41.5, samples)
        for accept in ("text/plain", None):
            response, text = served.ask(accept=accept)
            check(response.getheader("Content-Type").startswith("text/plain; version=0.0.4"), response.getheaders())
            openmetrics.read(text, older=True)
        response, text = served.ask(method="HEAD")
        check(response.status == 200 and text == b"" and int(response.getheader("Content-Length")) > 100, response.getheaders())
        check(served.ask("/")[0].status == 200 and served.ask("/metric")[0].status == 404)
        response, _ = served.ask(method="POST", body=b"x" * 10)
        check(response.status == 405 and response.getheader("Allow") == "GET, HEAD", response.getheaders())


def hostile(files):
    """Slow, huge and many requests: it goes on, and keeps no descriptor of theirs."""
    with tempfile.TemporaryDirectory() as root, exporter(files.tool, *EVENTS, environment=node(root)) as served:
        served.ask()
        before = served.files()
        huge = [b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", b"GET /metrics HTTP/1.1\r\nX: " + b"b" * 200000 + b"\r\n\r\n",
                b"GET /metrics HTTP/1.1\r\n" + b"Y: c\r\n" * 20000 + b"\r\n",
                b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n" + b"d" * 100000,
                b"GET /\x1b[2J\x01\xff\r HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /%00%1b%0a HTTP/1.1\r\nHost: x\r\n\r\n",
                b"\0" * 1000, b"GET\r\n\r\n", b"\r\n" * 1000, b"GET /metrics HTTP/9.9\r\n\r\n", b""]
        for request in huge:
            with served.connect() as client:
                with contextlib.suppress(OSError):
                    client.sendall(request)
                    client.shutdown(socket.SHUT_WR)
                    answer = client.recv(100000)
                    check(b"\x1b" not in answer and (not answer or answer.startswith(b"HTTP/1.")), request[:80], answer[:80])
        check(served.ask()[0].status == 200)
        slow = [served.connect() for _ in range(40)]  # more than it takes at once
        begin = time.monotonic()
        while time.monotonic() < begin + LONGEST + 1:
            for client in slow:
                with contextlib.suppress(OSError):
                    client.send(b"G" if time.monotonic() < begin + 1 else b"a")
            time.sleep(1)
        check(served.ask()[0].status == 200)
        check(openmetrics.value(served.samples(), "papi_exporter_cut_connections_total") >= 32, served.samples())
        for client in slow:
            client.close()
        end = time.monotonic() + 60
        while served.files() > before and time.monotonic() < end:
            time.sleep(0.1)
        check(served.files() <= before, before, "descriptors became", served.files())


def cost(files):
    """Its processor time is bounded, and shown; a scrape takes few system calls."""
    with tempfile.TemporaryDirectory() as root, exporter(files.tool, *EVENTS, environment=node(root)) as served:
        begin, first = time.monotonic(), served.samples()
        for _ in range(300):
            served.ask()
        elapsed, last = time.monotonic() - begin, served.samples()
        grown = {name: openmetrics.value(last, name) - openmetrics.value(first, name) for name in
                 ("papi_exporter_cpu_seconds_total", "papi_exporter_read_cpu_seconds_total", "papi_exporter_reads_total",
                  "papi_exporter_scrapes_total", "papi_exporter_system_calls_total")}
        print(f"{elapsed:.2f} s: {grown}")
        one = openmetrics.value(last, "papi_exporter_read_cpu_seconds_total") / openmetrics.value(last, "papi_exporter_reads_total")
        check(grown["papi_exporter_scrapes_total"] == 301, grown)
        check(grown["papi_exporter_read_cpu_seconds_total"] <= 0.01 * elapsed + 10 * one, grown, one)
        stat = pathlib.Path(f"/proc/{served.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        used = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
        shown = openmetrics.value(served.samples(), "papi_exporter_cpu_seconds_total")
        check(abs(used - shown) < 0.2 + used / 4, "the kernel says", used, "and the page", shown)


def system_calls(files):
    if shutil.which("strace") is None:
        skip("strace is not here")
    with tempfile.TemporaryDirectory() as root, exporter(files.tool, *EVENTS, environment=node(root)) as served:
        served.ask()
        time.sleep(2)
        with subprocess.Popen(["strace", "-f", "-qq", "-o", f"{root}/calls", "-p", str(served.process.pid)],
                              stderr=subprocess.PIPE) as tracer:
            end = time.monotonic() + 20
            status = pathlib.Path(f"/proc/{served.process.pid}/status")
            while "TracerPid:\t0\n" in status.read_text() and tracer.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            if tracer.poll() is not None:
                skip("strace may not trace here: " + tracer.stderr.read().decode())
            for _ in range(10):
                served.ask()
            tracer.send_signal(signal.SIGINT)
            tracer.wait()
        calls = pathlib.Path(f"{root}/calls").read_text().count("\n") / 10
        print(f"{calls} system calls a scrape")
        check(5 < calls < 60, calls)


def given_socket(files):
    """The socket is systemd's, by its protocol."""
    with tempfile.TemporaryDirectory() as root, socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"import os, sys; os.dup2({server.fileno()}, 3); os.environ['LISTEN_PID'] = str(os.getpid()); os.execv(sys.argv[1], sys.argv[1:])"
        environment = running.clean(**node(root), LISTEN_FDS="1")
        with subprocess.Popen([sys.executable, "-c", script, files.tool, *EVENTS], stdout=subprocess.PIPE, env=environment,
                              pass_fds=[server.fileno()]) as process:
            try:
                line = process.stdout.readline().decode()
                check(line.endswith(f":{port}\n"), line, port)
                check(Exporter(process, port).ask()[0].status == 200)
            finally:
                process.terminate()
            check(process.wait() == 0, process.returncode)


def refused(files):
    """A taken port, wrong addresses, and events that cannot be counted on the node."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = f"127.0.0.1:{server.getsockname()[1]}"
        for address, why in ((taken, "Address already in use"), ("localhost:1", "not ADDRESS:PORT"), ("1", "not ADDRESS:PORT"),
                             ("127.0.0.1:", "not ADDRESS:PORT"), ("127.0.0.1:75273", "not ADDRESS:PORT"),
                             ("127.0.0.1:100000000000000009737", "not ADDRESS:PORT"), ("127.0.0.1:+1", "not ADDRESS:PORT"), ("[::1:5", "not ADDRESS:PORT")):
            result = running.run(files.tool, "-l", address, "stealtime:::TOTAL", env=running.clean())
            check(result.returncode == 1 and f"{address}: {why}" in result.stderr, result)
    for event, why in (("io:::syscr", "what this tool does"), ("nosuch", "nosuch: "), ("no*such", "no event has such a name")):
        result = running.run(files.tool, "--once", event, "stealtime:::TOTAL", env=running.clean())
        check(result.returncode == 1 and why in result.stderr and "papi_stealtime" in result.stdout, result)
        result = running.run(files.tool, "--once", event, env=running.clean())
        check(result.returncode == 1 and "none of the events can be counted" in result.stderr and not result.stdout, result)
        check("CAP_PERFMON" not in result.stderr.splitlines()[-1] and '"papi_exporter --once --json"' in result.stderr, result)
    result = running.run(files.tool, "--percent=0", env=running.clean())
    check(result.returncode == 2, result)


def every_cpu(files):
    """What the processors count is added up over all of them, whoever runs there."""
    result = running.run(files.tool, "--once", "--json", "perf::CPU-CLOCK", env=running.clean())
    if result.returncode != 0:
        skip("the kernel lets no whole CPU be counted: " + result.stderr)
    with exporter(files.tool, "perf::CPU-CLOCK", "perf::PAGE-FAULTS", "--percent=100") as served:
        begin, first = time.monotonic(), served.samples()
        subprocess.run([sys.executable, "-c", "x = bytearray(64 << 20)"], check=True)
        time.sleep(1)
        last, elapsed = served.samples(), time.monotonic() - begin
        name = "papi_perf_cpu_clock_seconds_total"
        cpus = (openmetrics.value(last, name) - openmetrics.value(first, name)) / elapsed
        check(0.8 < cpus / os.sysconf("SC_NPROCESSORS_ONLN") < 1.2, cpus, "CPUs' clocks")
        check(openmetrics.value(last, "papi_exporter_cpus") == os.sysconf("SC_NPROCESSORS_ONLN"), last)
        faults = openmetrics.value(last, "papi_perf_page_faults_total") - openmetrics.value(first, "papi_perf_page_faults_total")
        check(faults > 100, faults)


def promtool(files):
    if not files.promtool:
        skip("promtool is not here, of Debian's package prometheus")
    with tempfile.TemporaryDirectory() as root, exporter(files.tool, *EVENTS, environment=node(root)) as served:
        page = served.ask(accept="text/plain")[1]
        result = subprocess.run([files.promtool, "check", "metrics"], input=page, capture_output=True, check=False)
        check(result.returncode == 0 and not result.stderr, result)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def prometheus(files):
    """A real one fetches the page, and answers queries with what the node's files say."""
    if not files.prometheus:
        skip("prometheus is not here, Debian's package of that name")
    with tempfile.TemporaryDirectory() as root, exporter(files.tool, *EVENTS, environment=node(root)) as served:
        port = free_port()
        write(root, "prometheus.yml", "global:\n  scrape_interval: 1s\nscrape_configs:\n  - job_name: papi\n    static_configs:\n"
              f"      - targets: ['127.0.0.1:{served.port}']\n")
        write(root, "sys/class/powercap/intel-rapl:0/energy_uj", "4503000\n")
        with subprocess.Popen([files.prometheus, f"--config.file={root}/prometheus.yml", f"--storage.tsdb.path={root}/data",
                               f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            try:
                ask(port, 'papi_powercap_energy_joules_total{device="ZONE0",event="powercap:::ENERGY_UJ:ZONE0"}', "4.5", process)
                write(root, "sys/class/powercap/intel-rapl:0/energy_uj", "7003000\n")
                ask(port, "papi_powercap_energy_joules_total", "7", process)
                ask(port, "papi_coretemp_temp1_input_celsius", "41.5", process)
                ask(port, "sum(papi_net_rx_bytes_total)", "0", process)
                ask(port, "up", "1", process)
                types = query(port, "metadata", metric="papi_powercap_energy_joules_total") or query(
                    port, "metadata", metric="papi_powercap_energy_joules")
                check([entry["type"] for entries in types.values() for entry in entries] == ["counter"], types)
            finally:
                process.kill()
                process.stderr.close()


def query(port, what, **words):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", f"/api/v1/{what}?" + urllib.parse.urlencode(words))
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer["data"]


def ask(port, text, wanted, process):
    """Waits until Prometheus answers the query with this value."""
    end, found = time.monotonic() + 90, None
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError, ValueError, KeyError):
            found = [row["value"][1] for row in query(port, "query", query=text)["result"]]
            if found == [wanted]:
                return
        time.sleep(0.3)
    raise openmetrics.Wrong(f"{text} is {found}, not {wanted}; Prometheus: {process.poll()}")


def units(files):
    """systemd understands the units, and finds them hard to break out of."""
    if shutil.which("systemd-analyze") is None:
        skip("systemd-analyze is not here")
    with tempfile.TemporaryDirectory() as root:
        for name in ("papi-exporter.service", "papi-exporter.socket"):
            text = pathlib.Path(files.units, name).read_text()
            pathlib.Path(root, name).write_text(re.sub(r"ExecStart=\S+", "ExecStart=" + files.tool, text))
        result = subprocess.run(["systemd-analyze", "verify", "--man=no", f"{root}/papi-exporter.service", f"{root}/papi-exporter.socket"],
                                capture_output=True, text=True, check=False)
        said = [line for line in result.stderr.splitlines() if "papi-exporter" in line]
        check(result.returncode == 0 and not said, result)
        result = subprocess.run(["systemd-analyze", "security", "--offline=true", f"{root}/papi-exporter.service"],
                                capture_output=True, text=True, check=False)
        level = re.search(r"exposure level for papi-exporter.service: ([\d.]+)", result.stdout)
        check(level and float(level[1]) < 3, result.stdout[-2000:], result.stderr)
        print(level[0])


CASES = {case.__name__: case for case in (answers, hostile, cost, system_calls, given_socket, refused, every_cpu, promtool,
                                          prometheus, units)}


class Files:
    def __init__(self, tool, server, judge, folder):
        self.tool = os.path.abspath(tool)
        self.prometheus, self.promtool = ("" if name.endswith("NOTFOUND") else name for name in (server, judge))
        self.units = folder


def main():
    if sys.argv[1] == "list":
        print("\n".join(CASES))
        return 0
    try:
        CASES[sys.argv[5]](Files(*sys.argv[1:5]))
    except openmetrics.Wrong as problem:
        print(problem)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
