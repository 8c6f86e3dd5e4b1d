# SPDX-License-Identifier: BSD-3-Clause
# How others find the installed library: the CMake package and papi.pc. Neither contains an absolute path of
# the library's own, so that an installed tree can be moved.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/papi)
set(module_root ${CMAKE_INSTALL_INCLUDEDIR}/fpapi)
set(archive_root ${CMAKE_INSTALL_LIBDIR}/fpapi)
set(module_source ${CMAKE_INSTALL_DATADIR}/papi/papi.f90)

install(EXPORT papi-targets NAMESPACE papi:: DESTINATION ${package_dir})
foreach(flavour IN LISTS papi_mpi_flavours) # apart, as their packages may be
  install(EXPORT papi-mpi_${flavour}-targets NAMESPACE papi:: DESTINATION ${package_dir})
endforeach()
configure_package_config_file(cmake/papi-config.cmake.in ${PROJECT_BINARY_DIR}/cmake/papi-config.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR module_root archive_root module_source)
# The library supports programs written for any earlier version of the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/papi-config-version.cmake COMPATIBILITY AnyNewerVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/papi-config.cmake ${PROJECT_BINARY_DIR}/cmake/papi-config-version.cmake
  DESTINATION ${package_dir})

# A folder as papi.pc names it: under its prefix, unless the user wants it elsewhere.
function(pkgconfig_dir out dir)
  if(IS_ABSOLUTE "${dir}")
    set(${out} "${dir}" PARENT_SCOPE)
  else()
    set(${out} "\${prefix}/${dir}" PARENT_SCOPE)
  endif()
endfunction()
pkgconfig_dir(PC_LIBDIR ${CMAKE_INSTALL_LIBDIR})
pkgconfig_dir(PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(PC_PREFIX "\${pcfiledir}/${up}")
endif()
# As FPAPI_PFM_LINK, for pkg-config.
if(IS_ABSOLUTE "${FPAPI_PFM_LINK}")
  get_filename_component(dir ${FPAPI_PFM_LINK} DIRECTORY)
  set(PC_PFM "-L${dir} -lpfm")
else()
  set(PC_PFM -lpfm)
endif()
if(FPAPI_PFM_ARCHIVE) # in libpapi.a
  set(PC_PFM "")
endif()

# papi.pc also has what module papi takes, so that one name is enough in Fortran, too. papi_fortran.pc has it where
# papi.pc has not.
option(FPAPI_PC_FORTRAN "papi.pc names module papi; OFF where it is packaged apart from libpapi" ON)
mark_as_advanced(FPAPI_PC_FORTRAN)
foreach(part IN ITEMS VARIABLES CFLAGS LIBS)
  set(FORTRAN_${part} "")
endforeach()
if(FPAPI_FORTRAN)
  pkgconfig_dir(module_dir ${FPAPI_MODULE_INSTALL_DIR})
  pkgconfig_dir(archive_dir ${FPAPI_ARCHIVE_INSTALL_DIR})
  pkgconfig_dir(source ${module_source})
  set(FORTRAN_VARIABLES "
# The module and its archive fit the compiler that the folders are named after; another one builds them from
# the source. A C program uses nothing from the archive.
module_dir=${module_dir}
archive_dir=${archive_dir}
module_source=${source}")
  set(FORTRAN_CFLAGS "-I\${module_dir}")
  set(FORTRAN_LIBS "-L\${archive_dir} -lpapi_fortran")
endif()
function(pkgconfig_file name template)
  configure_file(cmake/${template}.pc.in ${PROJECT_BINARY_DIR}/cmake/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
if(FPAPI_FORTRAN)
  pkgconfig_file(papi_fortran papi_fortran)
endif()
if(NOT FPAPI_PC_FORTRAN)
  foreach(part IN ITEMS VARIABLES CFLAGS LIBS)
    set(FORTRAN_${part} "")
  endforeach()
endif()
pkgconfig_file(papi papi)
pkgconfig_file(sde sde)
# The wrapper libraries, separately: programs linked with them need not call PAPI.
set(names papi_mpi)
foreach(flavour IN LISTS papi_mpi_flavours)
  list(APPEND names papi_mpi_${flavour})
  foreach(name IN LISTS names)
    pkgconfig_file(${name} papi_mpi)
  endforeach()
  set(names "")
endforeach()

if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D manifest=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()
