# SPDX-License-Identifier: BSD-3-Clause
"""The constants of papi.h."""
from papi._interface import CONSTANTS as _CONSTANTS

globals().update(_CONSTANTS)
