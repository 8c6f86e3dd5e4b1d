# SPDX-License-Identifier: BSD-3-Clause
# fpapi_program(NAME SOURCE... [KEYWORD VALUE...]...) and fpapi_library(NAME KIND SOURCE... [KEYWORD VALUE...]...): a
# program or library with the project's flags. The keywords:
#   LINK, PUBLIC_LINK        libraries: its own, and those that whoever links it gets, too
#   INCLUDE, PUBLIC_INCLUDE  folders of headers, likewise; SYSTEM those of others, in which nothing is warned of
#   DEFINE, OPTIONS          for the compiler, behind the flags of the build type
#   LINK_OPTIONS             for the linker
#   NEEDS                    targets that are built before it
function(fpapi_target name)
  cmake_parse_arguments(PARSE_ARGV 1 with "" ""
    "LINK;PUBLIC_LINK;INCLUDE;PUBLIC_INCLUDE;SYSTEM;DEFINE;OPTIONS;LINK_OPTIONS;NEEDS")
  target_sources(${name} PRIVATE ${with_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${with_LINK} fpapi_flags PUBLIC ${with_PUBLIC_LINK})
  target_include_directories(${name} PUBLIC ${with_PUBLIC_INCLUDE} PRIVATE ${with_INCLUDE})
  target_include_directories(${name} SYSTEM PRIVATE ${with_SYSTEM})
  target_compile_definitions(${name} PRIVATE ${with_DEFINE})
  target_compile_options(${name} PRIVATE ${with_OPTIONS})
  target_link_options(${name} PRIVATE ${with_LINK_OPTIONS})
  if(with_NEEDS)
    add_dependencies(${name} ${with_NEEDS})
  endif()
endfunction()

# Modules of Fortran programs that are built at the same time do not meet: each has a folder.
function(fpapi_program name)
  add_executable(${name})
  set_target_properties(${name} PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/modules/${name})
  fpapi_target(${name} ${ARGN})
endfunction()

function(fpapi_library name kind)
  add_library(${name} ${kind})
  fpapi_target(${name} ${ARGN})
endfunction()

# fpapi_archive(NAME OBJECT COMMENT STRIP... FROM TARGET... OBJECTS FILE...): an archive of one object in which objcopy has
# done what STRIP says: made local all but the interface.
function(fpapi_archive name object comment)
  cmake_parse_arguments(PARSE_ARGV 3 with "" "" "FROM;OBJECTS")
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_LINKER} -r -o ${object} ${with_OBJECTS}
    COMMAND ${CMAKE_OBJCOPY} ${with_UNPARSED_ARGUMENTS} ${object}
    DEPENDS ${with_FROM} ${with_OBJECTS} COMMENT ${comment} COMMAND_EXPAND_LISTS VERBATIM)
  add_library(${name} STATIC ${object})
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
endfunction()

# add_papi_tool(NAME SOURCE... [KEYWORD VALUE...]...): a tool, which is installed and completed by shells.
function(add_papi_tool name)
  fpapi_program(${name} LINK papi_tools papi)
  fpapi_target(${name} ${ARGN})
  # The library is beside it, wherever the tree was put.
  file(RELATIVE_PATH library_dir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/${library_dir};${CMAKE_INSTALL_RPATH}")
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set_property(GLOBAL APPEND PROPERTY papi_tools ${name})
endfunction()
