# SPDX-License-Identifier: BSD-3-Clause
# fpapi_page(TEMPLATE.c FOLDER LICENSE SCRIPT.js...): FOLDER's page.html, the shared style sheets and FOLDER's page.css,
# and the scripts in the order in which the browser runs them, as the source that web/page.c is linked with.
function(fpapi_page template folder licence)
  set(web ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(parts ${folder}/page.html ${licence} ${web}/page.css ${web}/report.css ${folder}/page.css ${ARGN})
  add_custom_command(OUTPUT ${template}
    COMMAND Python3::Interpreter -B ${web}/generate.py ${template} ${parts}
    WORKING_DIRECTORY ${folder}
    DEPENDS ${web}/generate.py ${parts} VERBATIM)
endfunction()
