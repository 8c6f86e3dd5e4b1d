# SPDX-License-Identifier: BSD-3-Clause
# How others find the installed library: the CMake package and papi.pc. Neither contains an absolute path of
# the library's own, so that an installed tree can be moved.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/papi)
set(module_root ${CMAKE_INSTALL_INCLUDEDIR}/fpapi)
set(archive_root ${CMAKE_INSTALL_LIBDIR}/fpapi)
set(module_source ${CMAKE_INSTALL_DATADIR}/papi/papi.f90)

install(EXPORT papi-targets NAMESPACE papi:: DESTINATION ${package_dir})
configure_package_config_file(cmake/papi-config.cmake.in ${PROJECT_BINARY_DIR}/cmake/papi-config.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR module_root archive_root module_source)
# The library supports programs written for any earlier version of the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/papi-config-version.cmake
  COMPATIBILITY AnyNewerVersion)
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
pkgconfig_dir(PC_MODULE_DIR ${FPAPI_MODULE_INSTALL_DIR})
pkgconfig_dir(PC_ARCHIVE_DIR ${FPAPI_ARCHIVE_INSTALL_DIR})
pkgconfig_dir(PC_MODULE_SOURCE ${module_source})
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
configure_file(cmake/papi.pc.in ${PROJECT_BINARY_DIR}/cmake/papi.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/papi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# The wrapper libraries, separately: programs linked with them need not call PAPI.
set(names papi_mpi)
foreach(flavour IN LISTS papi_mpi_flavours)
  list(APPEND names papi_mpi_${flavour})
  foreach(name IN LISTS names)
    configure_file(cmake/papi_mpi.pc.in ${PROJECT_BINARY_DIR}/cmake/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/cmake/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endforeach()
  set(names "")
endforeach()
