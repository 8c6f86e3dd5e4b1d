# SPDX-License-Identifier: BSD-3-Clause
# cmake -DOUT=FILE -DPARTS=FILE;... -P join.cmake: one source of several, in their order.
set(whole "")
foreach(part IN LISTS PARTS)
  file(READ ${part} text)
  string(APPEND whole "${text}\n")
endforeach()
file(WRITE ${OUT} "${whole}")
