# Debian packages, made by CPack from the release build: ./dev package.
#
#   isolde           component program: the program, its manual page, completions, documentation, demo histories
#   libisolde0.1     component library: the shared library, named as Debian's policy asks
#   libisolde-dev    component development: headers, the static library, CMake and pkg-config, examples
#   python3-isolde   component python: the modules, examples
set(ISOLDE_LIBRARY_PACKAGE libisolde${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(packages ${PROJECT_BINARY_DIR}/packaging)
set(maintainer "The Isolde authors <isolde@packages.invalid>")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in ${packages}/changelog.Debian @ONLY)
foreach(script postinst prerm)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/${script} ${packages}/python/${script} COPYONLY)
endforeach()

# The Python package without the library, unpacked: what pip would install. Made with Debian's own Python,
# for which it is.
set(python ${packages}/python)
set(wheel isolde-${PROJECT_VERSION}-py3-none-any.whl)
set(info isolde-${PROJECT_VERSION}.dist-info)
file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/isolde/*.py)
add_custom_command(
  OUTPUT ${python}/modules
  COMMAND ${CMAKE_COMMAND} -E rm -rf source wheel modules
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/python source/python
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/include source/include
  COMMAND ${CMAKE_COMMAND} -E env --unset=ISOLDE_LIBRARY /usr/bin/python3 -m pip wheel --quiet
          --no-index --no-build-isolation --no-deps -w wheel source/python
  COMMAND ${CMAKE_COMMAND} -E make_directory modules
  COMMAND ${CMAKE_COMMAND} -E chdir modules ${CMAKE_COMMAND} -E tar xf ../wheel/${wheel}
  # Whoever installs something keeps a record of it; here dpkg does.
  COMMAND ${CMAKE_COMMAND} -E rm modules/${info}/RECORD
  WORKING_DIRECTORY ${python}
  DEPENDS ${python_sources} ${PROJECT_SOURCE_DIR}/python/pyproject.toml ${PROJECT_SOURCE_DIR}/python/setup.py
          ${PROJECT_SOURCE_DIR}/include/isolde/version.h
  VERBATIM)
install(DIRECTORY ${python}/modules/ DESTINATION lib/python3/dist-packages COMPONENT python
        EXCLUDE_FROM_ALL)

# What belongs into every package. Headers of these packages are compiled in, and D3 is in the page.
set(compiled_in libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libsimdjson-dev node-d3)
if(TARGET isolde_http)
  list(APPEND compiled_in libcpp-httplib-dev)
endif()
add_custom_command(
  OUTPUT ${packages}/copyright ${packages}/changelog.gz ${packages}/changelog.Debian.gz ${packages}/README.md
  COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/debian/copyright.sh ${PROJECT_SOURCE_DIR}/LICENSE
          ${compiled_in} > copyright
  COMMAND gzip -9n < ${PROJECT_SOURCE_DIR}/CHANGELOG.md > changelog.gz
  COMMAND gzip -9n < changelog.Debian > changelog.Debian.gz
  COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/debian/readme.sh ${PROJECT_SOURCE_DIR}/README.md
          ${PROJECT_SOURCE_DIR}/cmake/debian/README.first.md > README.md
  WORKING_DIRECTORY ${packages}
  DEPENDS ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${packages}/changelog.Debian
          ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/cmake/debian/README.first.md
          ${PROJECT_SOURCE_DIR}/cmake/debian/readme.sh ${PROJECT_SOURCE_DIR}/cmake/debian/copyright.sh
  VERBATIM)
add_custom_target(isolde_packaging DEPENDS ${python}/modules ${packages}/copyright)
add_dependencies(isolde_packaging isolde_manual libisolde_static libisolde_shared)

# Optional, because whoever installs a component without making packages has not made them.
set(program_package isolde)
set(library_package ${ISOLDE_LIBRARY_PACKAGE})
set(development_package libisolde-dev)
set(python_package python3-isolde)
foreach(component program library development python)
  install(FILES ${packages}/copyright ${packages}/changelog.gz ${packages}/changelog.Debian.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${${component}_package}
          COMPONENT ${component} EXCLUDE_FROM_ALL OPTIONAL)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${${component}_package})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/isolde.overrides RENAME isolde
        DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT program EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/systemd/isolde-watch@.service
        DESTINATION lib/systemd/system COMPONENT program EXCLUDE_FROM_ALL)
# The pages, laid out as in the tree, so that their links lead somewhere, and histories to try.
set(doc ${CMAKE_INSTALL_DATADIR}/doc)
install(FILES ${packages}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
              ${PROJECT_SOURCE_DIR}/SECURITY.md
        DESTINATION ${doc}/isolde COMPONENT program EXCLUDE_FROM_ALL OPTIONAL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/demo ${PROJECT_SOURCE_DIR}/recipes
        DESTINATION ${doc}/isolde COMPONENT program EXCLUDE_FROM_ALL
        PATTERN conf.py EXCLUDE PATTERN *.css EXCLUDE PATTERN *.intro.md EXCLUDE
        PATTERN __pycache__ EXCLUDE)
# Each example is with the package that it needs. Adapters and workflows need the program; the store
# that one of them drives is also what a test in Python is for.
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*)
foreach(example ${examples})
  set(component program)
  if(example MATCHES "[.](c|cpp|h)$")
    set(component development)
  elseif(example MATCHES "/tinystore[.]py$|/test_.*[.]py$")
    set(component python)
  endif()
  if(NOT IS_DIRECTORY ${example})
    install(FILES ${example} DESTINATION ${doc}/${${component}_package}/examples
            COMPONENT ${component} EXCLUDE_FROM_ALL)
  endif()
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/examples/tinystore.py
        DESTINATION ${doc}/isolde/examples COMPONENT program EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL program library development python)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${maintainer})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# Each package has its own; it is the first line of the component's description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "postgresql, mariadb-server, redis-server, etcd-server, nats-server, firebird3.0-server-core, libfaketime")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "tells which transaction isolation a database really gave
Isolde reads what clients of a database sent and saw, decides for every
isolation level from read uncommitted to strict serializability whether it
holds, explains each violation so that it can be checked by hand, and writes
a proof of either verdict that an independent verifier accepts.

It also runs workloads on databases and records what happened.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "checks isolation levels of databases (library)
Isolde decides from what clients of a database sent and saw which transaction
isolation it really gave, with a proof for every verdict.

This is the shared library, for programs in C++, C and Python.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${ISOLDE_LIBRARY_PACKAGE} ${same}, libsimdjson-dev, libpugixml-dev, libzstd-dev, zlib1g-dev, libxxhash-dev, pkg-config")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "checks isolation levels of databases (development)
Isolde decides from what clients of a database sent and saw which transaction
isolation it really gave, with a proof for every verdict.

These are the headers for C++20 and C, the static library, what CMake and
pkg-config need, and examples.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3:any, ${ISOLDE_LIBRARY_PACKAGE}")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-pytest)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${python}/postinst;${python}/prerm")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "checks isolation levels of databases (Python)
Isolde decides from what clients of a database sent and saw which transaction
isolation it really gave, with a proof for every verdict.

This is the Python package, with a plugin for pytest.")
include(CPack)
