# BPF objects and skeletons. The kernel's BTF is not needed to build: probes/bpf/kernel_types.h holds
# the few fields used, relocated at load time (CO-RE).
find_program(CLANG NAMES clang clang-14 clang-16 clang-19 REQUIRED)
find_program(BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin REQUIRED)
set(HOTLATCH_LINUX_HEADERS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE})

# hotlatch_probes(NAME link libraries...): each probes/<name>/<name>.bpf.c becomes
# <build>/bpf/<name>.skel.h; each probes/**/*.cc is compiled in.
function(hotlatch_probes name)
  file(GLOB bpf_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/probes/*/*.bpf.c)
  file(GLOB bpf_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/probes/*/*.h)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/probes/*.cc ${CMAKE_SOURCE_DIR}/probes/*/*.cc)
  set(out ${CMAKE_BINARY_DIR}/bpf)
  file(MAKE_DIRECTORY ${out})
  set(skeletons "")
  foreach(source ${bpf_sources})
    get_filename_component(probe ${source} NAME_WE)
    set(object ${out}/${probe}.bpf.o)
    set(skeleton ${out}/${probe}.skel.h)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CLANG} -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -Wall -Werror -idirafter ${HOTLATCH_LINUX_HEADERS}
              -I${CMAKE_SOURCE_DIR} -c ${source} -o ${object}
      DEPENDS ${source} ${bpf_headers}
      COMMENT "BPF ${probe}" VERBATIM)
    add_custom_command(
      OUTPUT ${skeleton}
      COMMAND ${BPFTOOL} gen skeleton ${object} name ${probe}_bpf > ${skeleton}
      DEPENDS ${object} VERBATIM)
    list(APPEND skeletons ${skeleton})
  endforeach()
  add_custom_target(hotlatch_skeletons DEPENDS ${skeletons})
  set(target hotlatch_${name})
  if(sources)
    add_library(${target} STATIC ${sources} ${skeletons})
    hotlatch_own(${target})
    target_include_directories(${target} SYSTEM PRIVATE ${out})
    target_link_libraries(${target} ${ARGN})
  else()
    add_library(${target} INTERFACE)
    list(FILTER ARGN EXCLUDE REGEX "^(PUBLIC|PRIVATE)$")
    target_link_libraries(${target} INTERFACE ${ARGN})
  endif()
endfunction()
