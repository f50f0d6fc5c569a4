# Generated C++ of proto/hotlatch/v1, included as "hotlatch/v1/<name>.pb.h".
set(proto_root ${CMAKE_SOURCE_DIR}/proto)
set(proto_out ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${proto_out})
file(GLOB proto_files CONFIGURE_DEPENDS RELATIVE ${proto_root} ${proto_root}/hotlatch/v1/*.proto)

set(proto_sources "")
foreach(proto ${proto_files})
  string(REGEX REPLACE "\\.proto$" "" stem ${proto})
  set(generated ${proto_out}/${stem}.pb.cc ${proto_out}/${stem}.pb.h
                ${proto_out}/${stem}.grpc.pb.cc ${proto_out}/${stem}.grpc.pb.h)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND protobuf::protoc --proto_path=${proto_root} --cpp_out=${proto_out} --grpc_out=${proto_out}
            --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin> ${proto}
    DEPENDS ${proto_root}/${proto} ${proto_root}/hotlatch/v1/window.proto
    COMMENT "protoc ${proto}" VERBATIM)
  list(APPEND proto_sources ${generated})
endforeach()

add_library(hotlatch_proto STATIC ${proto_sources})
target_include_directories(hotlatch_proto SYSTEM PUBLIC ${proto_out})
target_link_libraries(hotlatch_proto PUBLIC protobuf::libprotobuf gRPC::grpc++)
