# SPDX-License-Identifier: BSD-3-Clause
"""A locale in which numbers have a comma for a point."""
import os
import subprocess


def environment(folder):
    """What a program needs of it in its environment; the locale is made in the folder. None: it cannot be made."""
    german = {"LC_ALL": "de_DE.UTF-8", "LOCPATH": folder}
    try:
        subprocess.run(["localedef", "-c", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")], stderr=subprocess.DEVNULL, check=False)
        shown = subprocess.run(["locale", "decimal_point"], env={**os.environ, **german}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        return None
    return german if shown.stdout == b",\n" else None
