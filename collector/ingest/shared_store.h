// The one store that is written, shared by the streams of all agents and by retention.
#pragma once

#include <memory>
#include <mutex>

#include "collector/store/store.h"

namespace hotlatch::collector {

class SharedStore {
 public:
  explicit SharedStore(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  // The store, for as long as the lock lives.
  class Lock {
   public:
    explicit Lock(SharedStore& shared) : guard_(shared.mutex_), store_(shared.store_.get()) {}
    Store* operator->() const { return store_; }

   private:
    std::lock_guard<std::mutex> guard_;
    Store* store_;
  };

 private:
  std::mutex mutex_;
  std::unique_ptr<Store> store_;
};

}  // namespace hotlatch::collector
