# SPDX-License-Identifier: BSD-3-Clause
# What is installed: libpapi_mpi_FLAVOUR.so, for CMake papi::mpi_FLAVOUR and for pkg-config papi_mpi_FLAVOUR;
# those of the first flavour without its name as well; papi_mpirun.
file(RELATIVE_PATH library_dir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})

foreach(flavour IN LISTS papi_mpi_flavours)
  set_target_properties(papi_mpi_${flavour} PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    EXPORT_NAME mpi_${flavour} INSTALL_RPATH "$ORIGIN;${CMAKE_INSTALL_RPATH}")
  # Before everything else that is linked: the MPI's own library may come first among the libraries, and the
  # linkers of Debian and Ubuntu leave out what they see no use of.
  target_link_options(papi_mpi_${flavour} INTERFACE
    "LINKER:--push-state,--no-as-needed,$<TARGET_FILE:$<TARGET_NAME:papi_mpi_${flavour}>>,--pop-state")
  install(TARGETS papi_mpi_${flavour} EXPORT papi-mpi_${flavour}-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  add_library(papi::mpi_${flavour} ALIAS papi_mpi_${flavour})
endforeach()

install(FILES papi_mpi_result.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/papi)

if(papi_mpi_flavours)
  list(GET papi_mpi_flavours 0 first)
  add_library(papi::mpi ALIAS papi_mpi_${first})
  # One more name for it: the file's, which the loader is told in LD_PRELOAD and the linker as -lpapi_mpi.
  foreach(folder IN ITEMS ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/installed)
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK libpapi_mpi_${first}.so ${folder}/libpapi_mpi.so SYMBOLIC)
  endforeach()
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/installed/libpapi_mpi.so DESTINATION ${CMAKE_INSTALL_LIBDIR})

  # LIBRARIES: where papi_mpirun, from its own folder, finds them.
  set(LIBRARIES .)
  configure_file(entry/papi_mpirun.in ${CMAKE_CURRENT_BINARY_DIR}/papi_mpirun @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  set(LIBRARIES ${library_dir})
  configure_file(entry/papi_mpirun.in ${CMAKE_CURRENT_BINARY_DIR}/installed/papi_mpirun @ONLY)
  install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/installed/papi_mpirun DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
