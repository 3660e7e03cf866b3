// A function that is handed over and called later. It can be moved, not copied, and what it has
// captured lies inside it, up to 56 bytes: handing it over needs no memory of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

namespace wright {

template <class Signature>
class Callback;

template <class Returned, class... Given>
class Callback<Returned(Given...)> {
 public:
  Callback() = default;

  // An empty std::function, and a null pointer, make an empty one.
  template <class Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, Callback> &&
             std::is_invocable_r_v<Returned, std::decay_t<Function>&, Given...>)
  Callback(Function&& function) {  // NOLINT: what can be called is one, as with std::function
    using Kept = std::decay_t<Function>;
    if constexpr (std::is_constructible_v<bool, const Kept&> && !std::is_empty_v<Kept>) {
      if (!static_cast<bool>(function)) return;
    }
    if constexpr (fits<Kept>()) {
      ::new (place()) Kept(std::forward<Function>(function));
    } else {
      ::new (place()) Kept*(new Kept(std::forward<Function>(function)));
    }
    operations_ = &kOperations<Kept>;
  }

  Callback(Callback&& other) noexcept { take(other); }
  Callback& operator=(Callback&& other) noexcept {
    if (this == &other) return *this;
    // What is let go may look at this one.
    Callback old(std::move(*this));
    take(other);
    return *this;
  }
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  ~Callback() {
    if (operations_ != nullptr) operations_->destroy(place());
  }

  explicit operator bool() const { return operations_ != nullptr; }

  // As with std::function, not of an empty one.
  Returned operator()(Given... given) {  // NOLINT(performance-unnecessary-value-param)
    if (operations_ == nullptr) throw std::bad_function_call();
    return operations_->call(place(), std::forward<Given>(given)...);
  }

 private:
  struct Operations {
    Returned (*call)(void* place, Given&&... given);
    void (*move)(void* from, void* to) noexcept;  // `from` is destroyed
    void (*destroy)(void* place) noexcept;
  };

  static constexpr std::size_t kRoom = 56;

  template <class Kept>
  static constexpr bool fits() {
    return sizeof(Kept) <= kRoom && alignof(Kept) <= alignof(std::max_align_t) &&
           std::is_nothrow_move_constructible_v<Kept>;
  }

  template <class Kept>
  static Kept& kept(void* place) {
    if constexpr (fits<Kept>()) {
      return *std::launder(static_cast<Kept*>(place));
    } else {
      return **std::launder(static_cast<Kept**>(place));
    }
  }

  template <class Kept>
  static constexpr Operations kOperations = {
      .call = [](void* place, Given&&... given) -> Returned {
        return std::invoke_r<Returned>(kept<Kept>(place), std::forward<Given>(given)...);
      },
      .move =
          [](void* from, void* to) noexcept {
            if constexpr (fits<Kept>()) {
              ::new (to) Kept(std::move(kept<Kept>(from)));
              kept<Kept>(from).~Kept();
            } else {
              ::new (to) Kept*(&kept<Kept>(from));
            }
          },
      .destroy =
          [](void* place) noexcept {
            if constexpr (fits<Kept>()) {
              kept<Kept>(place).~Kept();
            } else {
              delete &kept<Kept>(place);
            }
          },
  };

  void* place() { return static_cast<void*>(room_); }

  void take(Callback& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) operations_->move(other.place(), place());
  }

  alignas(std::max_align_t) std::byte room_[kRoom];  // NOLINT: nothing is there while it is empty
  const Operations* operations_ = nullptr;
};

}  // namespace wright
