# SPDX-License-Identifier: BSD-3-Clause
"""The codes of the presets."""
from papi._interface import CONSTANTS as _CONSTANTS

globals().update({name: code for name, code in _CONSTANTS.items() if code & 0xc0000000 == 0x80000000 and
                  code & 0x7fffffff < _CONSTANTS['PAPI_MAX_PRESET_EVENTS'] and not name.endswith('_MASK')})
