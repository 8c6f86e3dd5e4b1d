#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The component pcp with a pmcd of its own, which this script starts on a socket in a folder of its own.

  real_pmcd.py test_components_pcp

Of Performance Co-Pilot it uses what is installed (PCP_CONF or /etc/pcp.conf says where). Status: 0 passed, 1 failed,
77 skipped.
"""
import getpass
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

LIMIT = 60  # seconds


def configuration():
    path = pathlib.Path(os.environ.get("PCP_CONF", "/etc/pcp.conf"))
    text = path.read_text() if path.is_file() else ""
    return dict(re.findall(r"^(PCP_\w+)=(.*)$", text, re.M))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def main(program):
    conf = configuration()
    pmcd = pathlib.Path(conf.get("PCP_BINADM_DIR", "/none"), "pmcd")
    names = pathlib.Path(conf.get("PCP_VAR_DIR", "/none"), "pmns/root")
    agents = [(name, domain, pathlib.Path(conf.get("PCP_PMDAS_DIR", "/none"), name, f"pmda_{name}.so"))
              for name, domain in (("pmcd", 2), ("linux", 60))]
    lacking = [str(path) for path in (pmcd, names, *(path for _, _, path in agents)) if not path.is_file()]
    if lacking:
        print(f"SKIP: no {lacking[0]}: apt-get install pcp")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        port, place = free_port(), pathlib.Path(folder)
        (place / "pmcd.conf").write_text("".join(f"{name}\t{domain}\tdso\t{name}_init\t{path}\n"
                                                 for name, domain, path in agents))
        env = {**os.environ, "PMCD_SOCKET": f"{folder}/socket", "PMCD_PORT": str(port)}
        daemon = subprocess.Popen([pmcd, "-f", "-A", "-U", getpass.getuser(), "-c", place / "pmcd.conf",
                                   "-l", place / "log", "-s", env["PMCD_SOCKET"], "-i", "127.0.0.1",
                                   "-n", names], cwd=folder, env=env)
        try:
            for _ in range(LIMIT * 10):
                if (place / "socket").exists() or daemon.poll() is not None:
                    break
                time.sleep(0.1)
            if not (place / "socket").exists():
                print(f"SKIP: pmcd does not start here: {(place / 'log').read_text()[-500:]}")
                return 77
            # A pmcd that died is this script's child until it has been waited for, which a connection does not notice.
            return subprocess.run([program, "pmcd"], env={**env, "TEST_PMCD": str(daemon.pid)}, timeout=LIMIT).returncode
        finally:
            daemon.kill()
            daemon.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
