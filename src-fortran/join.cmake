# SPDX-License-Identifier: BSD-3-Clause
# cmake -DOUT=FILE -DPARTS=FILE;... [-DNAME=NAME] -P join.cmake: one source of several, in their order. NAME is what
# gfortran -fpreprocessed takes for the file's name.
set(whole "")
if(NAME) # gfortran misreads a second line that is not like the first
  set(whole "# 1 \"${NAME}\"\n# 1 \"${NAME}\"\n")
endif()
foreach(part IN LISTS PARTS)
  file(READ ${part} text)
  string(APPEND whole "${text}\n")
endforeach()
file(WRITE ${OUT} "${whole}")
