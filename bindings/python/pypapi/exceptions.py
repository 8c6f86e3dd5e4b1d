# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions, one for each error code."""
from papi.errors import *  # noqa: F401,F403
