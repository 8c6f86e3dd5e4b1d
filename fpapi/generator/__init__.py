# SPDX-License-Identifier: BSD-3-Clause
"""What turns fpapi/functions.tab and papi.h into the bindings. generate.py is the command."""
