#include "agent/spool/push_stream.h"

#include <utility>

namespace hotlatch::agent {

PushStream::PushStream(const std::shared_ptr<grpc::Channel>& channel,
                       OnAcknowledged on_acknowledged, Signal& changed)
    : on_acknowledged_(std::move(on_acknowledged)),
      changed_(changed),
      stub_(v1::IngestService::NewStub(channel)) {
  stub_->async()->Push(&context_, this);
  AddHold();  // writes are started outside of reactions
  StartRead(&response_);
  StartCall();
}

bool PushStream::ready_to_write() const {
  const std::lock_guard lock(mutex_);
  return !writing_ && !ended_;
}

bool PushStream::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void PushStream::Write(v1::Window&& window) {
  {
    const std::lock_guard lock(mutex_);
    writing_ = true;
  }
  request_.mutable_window()->Swap(&window);
  StartWrite(&request_);
}

grpc::Status PushStream::Close() {
  RemoveHold();
  std::unique_lock lock(mutex_);
  closed_.wait(lock, [&] { return done_; });
  return status_;
}

void PushStream::OnReadDone(bool ok) {
  if (ok) {
    on_acknowledged_(response_);
    StartRead(&response_);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.Raise();
}

void PushStream::OnWriteDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    if (!ok) ended_ = true;
  }
  changed_.Raise();
}

void PushStream::OnDone(const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  status_ = status;
  done_ = true;
  // Under the lock: the waiter destroys this object as soon as it gets the lock.
  closed_.notify_all();
}

}  // namespace hotlatch::agent
