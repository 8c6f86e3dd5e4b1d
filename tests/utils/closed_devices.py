#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: closed_devices.py PAPI_HARDWARE_AVAIL

papi_hardware_avail and papi_doctor say which file of a graphics device its caller may not open, and of which group that is.
"""
import grp
import json
import os
import pathlib
import subprocess
import sys
import tempfile

NOBODY = 65534


def run(tool, folder, *arguments):
    def drop():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
    return subprocess.run([tool, *arguments], env={"PAPI_SYSROOT": folder}, preexec_fn=drop, stdout=subprocess.PIPE,
                          check=tool.endswith('avail'), universal_newlines=True, timeout=120).stdout


def main():
    tool = sys.argv[1]
    doctor = str(pathlib.Path(tool).with_name("papi_doctor"))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        device = pathlib.Path(folder, "sys/bus/pci/devices/0000:03:00.0")
        (device / "drm/renderD128").mkdir(parents=True)
        for name, text in ("class", "0x038000"), ("vendor", "0x1002"), ("device", "0x740f"):
            (device / name).write_text(text + "\n")
        (device / "driver").symlink_to("../../drivers/amdgpu")
        files = [pathlib.Path(folder, "dev", name) for name in ("dri/renderD128", "kfd")]
        for file in files:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
            file.chmod(0o666)
        try:
            device = json.loads(run(tool, folder, "--json"))["gpus"][0]
        except PermissionError:
            print("SKIP: another user may not run the tool here")
            return 77
        assert device["driver"] == "amdgpu" and "closed" not in device, device
        group = grp.getgrgid(files[0].stat().st_gid).gr_name
        for file in reversed(files):
            file.chmod(0)
            device = json.loads(run(tool, folder, "--json"))["gpus"][0]
            check = next(one for one in json.loads(run(doctor, folder, "--json"))["checks"] if one["check"] == "devices")
            assert [one["command"] for one in check["changes"]] == [f"usermod -aG {group} USER"], check
            assert device["closed"] == str(file)[len(folder):] and device["group"] == group, device
        text = " ".join(run(tool, folder).split())
        wanted = f"you may not open /dev/dri/renderD128, so that nothing counts: sudo usermod -aG {group} $USER, and log in again"
        assert wanted in text, text
    return 0


sys.exit(main())
