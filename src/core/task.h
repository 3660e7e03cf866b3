// A function to be called later: moved from hand to hand and never copied, so that it can hold what
// cannot be copied. A small one needs no memory of its own.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace wright {

class Task {
 public:
  Task() = default;
  template <class Function>
  requires(!std::same_as<std::remove_cvref_t<Function>, Task> &&
           std::invocable<std::remove_cvref_t<Function>&>) Task(Function&& function) {
    using Held = std::remove_cvref_t<Function>;
    if constexpr (std::same_as<Held, std::function<void()>>) {
      if (!function) return;
    }
    if constexpr (fits<Held>) {
      ::new (static_cast<void*>(place_)) Held(std::forward<Function>(function));
      operations_ = &kInPlace<Held>;
    } else {
      ::new (static_cast<void*>(place_)) Held*(new Held(std::forward<Function>(function)));
      operations_ = &kElsewhere<Held>;
    }
  }
  Task(Task&& other) noexcept { take(other); }
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { reset(); }

  explicit operator bool() const { return operations_ != nullptr; }
  // Not of an empty one.
  void operator()() const { operations_->call(place_); }

 private:
  static constexpr std::size_t kBytes = 48;

  struct Operations {
    void (*call)(void* held);
    void (*move)(void* from, void* to) noexcept;  // and destroys what was there
    void (*destroy)(void* held) noexcept;
  };

  template <class Held>
  static constexpr bool fits =
      sizeof(Held) <= kBytes &&
      alignof(Held) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<Held>;

  template <class Held>
  static Held& in_place(void* place) {
    return *std::launder(static_cast<Held*>(place));
  }

  template <class Held>
  static constexpr Operations kInPlace{
      .call = [](void* held) { static_cast<void>(std::invoke(in_place<Held>(held))); },
      .move =
          [](void* from, void* to) noexcept {
            ::new (to) Held(std::move(in_place<Held>(from)));
            std::destroy_at(&in_place<Held>(from));
          },
      .destroy = [](void* held) noexcept { std::destroy_at(&in_place<Held>(held)); }};
  template <class Held>
  static constexpr Operations kElsewhere{
      .call = [](void* held) { static_cast<void>(std::invoke(*in_place<Held*>(held))); },
      .move = [](void* from, void* to) noexcept { ::new (to) Held*(in_place<Held*>(from)); },
      .destroy = [](void* held) noexcept { delete in_place<Held*>(held); }};

  void take(Task& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) operations_->move(other.place_, place_);
  }
  void reset() noexcept {
    if (const Operations* operations = std::exchange(operations_, nullptr)) {
      operations->destroy(place_);
    }
  }

  alignas(std::max_align_t) mutable std::byte place_[kBytes];
  const Operations* operations_ = nullptr;
};

}  // namespace wright
