# libisolde, static and shared: all rooms that src/api needs and the recorder, in one file each. What it
# shows is in include/isolde; docs/library.md says how to use it.
set(ISOLDE_LIBRARY_ROOMS base history io graph solver infer prune level order refute search weak session
                         source linear check certify explain api record)
set(ISOLDE_LIBRARY_LINK Threads::Threads simdjson::simdjson pugixml::pugixml ZLIB::ZLIB PkgConfig::ZSTD PkgConfig::XXHASH)

foreach(room ${ISOLDE_LIBRARY_ROOMS})
  list(APPEND objects $<TARGET_OBJECTS:isolde_${room}>)
endforeach()

foreach(kind static shared)
  string(TOUPPER ${kind} type)
  add_library(libisolde_${kind} ${type} ${objects})
  set_target_properties(libisolde_${kind} PROPERTIES
    OUTPUT_NAME isolde EXPORT_NAME isolde_${kind} LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION}
    # No promise of a stable ABI before 1.0: each minor version is one of its own.
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(libisolde_${kind} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(libisolde_${kind} INTERFACE cxx_std_20)
endforeach()
target_link_libraries(libisolde_static INTERFACE ${ISOLDE_LIBRARY_LINK})
target_link_libraries(libisolde_shared PRIVATE ${ISOLDE_LIBRARY_LINK})
# Templates of the standard library would be visible otherwise.
target_link_options(libisolde_shared PRIVATE
  LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/library.map)
set_target_properties(libisolde_shared PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/library.map)

include(CMakePackageConfigHelpers)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/isolde)
# What is installed may be moved.
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/isolde.pc.in ${PROJECT_BINARY_DIR}/isolde.pc @ONLY)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/isolde-config.cmake.in
                              ${PROJECT_BINARY_DIR}/isolde-config.cmake INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/isolde-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
# Programs that are made need the component library, to make them takes development besides.
install(TARGETS libisolde_static libisolde_shared EXPORT isolde_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(EXPORT isolde_targets NAMESPACE isolde:: DESTINATION ${config} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/isolde-config.cmake ${PROJECT_BINARY_DIR}/isolde-config-version.cmake
        DESTINATION ${config} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/isolde.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/isolde DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development)
