# SPDX-License-Identifier: BSD-3-Clause
"""The low-level interface: PAPI_start is start. Counts are lists."""
from papi.low import *  # noqa: F401,F403
