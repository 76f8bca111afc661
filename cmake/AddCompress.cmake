# Build helpers of the project. All libraries are in the export set
# CompressTargets and link libMLIR.so only.

# compress_add_library(<name> sources... [DEPENDS ...] [LINK_LIBS ...])
# A library over MLIR; LINK_LIBS are other libraries of ours.
function(compress_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_mlir_library(${name} ${ARG_UNPARSED_ARGUMENTS} DISABLE_INSTALL
    DEPENDS ${ARG_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY COMPRESS_LIBS ${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  _compress_export(${name})
  if(COMPRESS_ENABLE_PCH)
    if(TARGET obj.${name})
      target_precompile_headers(obj.${name} REUSE_FROM CompressPCH)
    else()
      target_precompile_headers(${name} REUSE_FROM CompressPCH)
    endif()
  endif()
endfunction()

# compress_add_plain_library(<name> sources... [LINK_LIBS ...])
# A library that knows LLVM's support code at most, never MLIR.
function(compress_add_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_llvm_library(${name} ${ARG_UNPARSED_ARGUMENTS} DISABLE_LLVM_LINK_LLVM_DYLIB
    BUILDTREE_ONLY)
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} LLVM)
  _compress_export(${name})
endfunction()

function(_compress_export name)
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${name} EXPORT CompressTargets COMPONENT compress-libraries
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# compress_add_tool(<name> sources... [LINK_LIBS ...])
function(compress_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
  set_property(GLOBAL APPEND PROPERTY COMPRESS_TOOLS ${name})
  install(TARGETS ${name} COMPONENT compress-tools
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# compress_add_tablegen_dialect / _passes keep the include/ folders short.
macro(compress_tablegen_begin td)
  set(LLVM_TARGET_DEFINITIONS ${td})
endmacro()

# Headers, generated headers, .td files and the package files.
function(compress_install_package)
  include(CMakePackageConfigHelpers)
  set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/Compress)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/compress
    ${PROJECT_BINARY_DIR}/include/compress
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compress-headers
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
    PATTERN CMakeFiles EXCLUDE)
  install(EXPORT CompressTargets NAMESPACE Compress:: DESTINATION ${destination}
    COMPONENT compress-libraries)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/CompressConfig.cmake.in
    ${PROJECT_BINARY_DIR}/CompressConfig.cmake INSTALL_DESTINATION ${destination})
  write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/CompressConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/CompressConfig.cmake
    ${PROJECT_BINARY_DIR}/CompressConfigVersion.cmake DESTINATION ${destination}
    COMPONENT compress-libraries)
endfunction()
