# SPDX-License-Identifier: BSD-3-Clause
"""What the functions of rates return."""
import collections as _collections

Flips = _collections.namedtuple('Flips', 'rtime ptime flpins mflips')
Flops = _collections.namedtuple('Flops', 'rtime ptime flpops mflops')
IPC = _collections.namedtuple('IPC', 'rtime ptime ins ipc')
EPC = _collections.namedtuple('EPC', 'rtime ptime ref core evt epc')
FlipsRate, FlopsRate = Flips, Flops
