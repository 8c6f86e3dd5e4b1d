# SPDX-License-Identifier: BSD-3-Clause
"""The interface of the package pypapi, for scripts that import it: papi_low, papi_high, events, consts, exceptions, types."""
