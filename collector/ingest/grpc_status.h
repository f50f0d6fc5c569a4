// Kinds of errors and gRPC's codes, in both directions, in one place. Header only: servers and clients use
// it without linking each other.
#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "agent/base/result.h"

namespace hotlatch::collector {

inline grpc::StatusCode GrpcCode(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case ErrorKind::kNotFound:
      return grpc::StatusCode::NOT_FOUND;
    case ErrorKind::kPermission:
      return grpc::StatusCode::PERMISSION_DENIED;
    case ErrorKind::kUnsupported:
      return grpc::StatusCode::UNIMPLEMENTED;
    case ErrorKind::kExhausted:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case ErrorKind::kCorrupt:
      return grpc::StatusCode::DATA_LOSS;
    case ErrorKind::kUnavailable:
      return grpc::StatusCode::UNAVAILABLE;
    case ErrorKind::kIo:
    case ErrorKind::kInternal:
      break;
  }
  return grpc::StatusCode::INTERNAL;
}

inline grpc::Status ToGrpcStatus(const Error& error) { return {GrpcCode(error.kind), error.text}; }

// status must not be ok.
inline Error FromGrpcStatus(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::OUT_OF_RANGE:
      return MakeError(ErrorKind::kInvalid, status.error_message());
    case grpc::StatusCode::NOT_FOUND:
      return MakeError(ErrorKind::kNotFound, status.error_message());
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
      return MakeError(ErrorKind::kPermission, status.error_message());
    case grpc::StatusCode::UNIMPLEMENTED:
      return MakeError(ErrorKind::kUnsupported, status.error_message());
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return MakeError(ErrorKind::kExhausted, status.error_message());
    case grpc::StatusCode::DATA_LOSS:
      return MakeError(ErrorKind::kCorrupt, status.error_message());
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::CANCELLED:
      return MakeError(ErrorKind::kUnavailable, status.error_message());
    default:
      return MakeError(ErrorKind::kInternal, status.error_message());
  }
}

}  // namespace hotlatch::collector
