// The names and members of a plain struct, without a word from its author: an aggregate of 1 to 32
// fields and no base classes. Not for direct inclusion.
//
// Structured bindings give the members. A pointer to a member of an object that is declared and never
// made, as a template argument, gives its name: the compiler writes it into __PRETTY_FUNCTION__.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace wright::detail {

inline constexpr std::size_t kMostPlainFields = 32;

// Stands for a value of any member of T, or of any of its bases. Nobody ever converts one; clang
// wants a definition nevertheless.
template <class T>
struct AnyMember {
  template <class U>
  requires(!std::same_as<U, T>) operator U() const { std::unreachable(); }
};
template <class T>
struct AnyBase {
  template <class U>
  requires(!std::same_as<U, T> && std::is_base_of_v<U, T>) operator U() const {
    std::unreachable();
  }
};

template <class T, std::size_t... I>
constexpr bool can_be_made_of(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), AnyMember<T>{})...}; };
}
template <class T, std::size_t... I>
constexpr bool begins_with_base(std::index_sequence<I...>) {
  return requires { T{AnyBase<T>{}, (static_cast<void>(I), AnyMember<T>{})...}; };
}

// 0 where it cannot be told.
template <class T, std::size_t N = 1>
constexpr std::size_t count_members() {
  if constexpr (N > kMostPlainFields) {
    return 0;
  } else if constexpr (can_be_made_of<T>(std::make_index_sequence<N>()) &&
                       !can_be_made_of<T>(std::make_index_sequence<N + 1>())) {
    return N;
  } else {
    return count_members<T, N + 1>();
  }
}

template <class T>
constexpr bool is_plain_struct() {
  if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !requires {
                  std::tuple_size<T>::value;
                }) {
    constexpr std::size_t count = count_members<T>();
    if constexpr (count > 0) return !begins_with_base<T>(std::make_index_sequence<count - 1>());
  }
  return false;
}

// References to the members of `value`, in their order. T may be const.
template <class T>
constexpr auto members_of(T& value) {
  constexpr std::size_t count = count_members<std::remove_const_t<T>>();
  // clang-format off
  if constexpr (count == 1) { auto& [m1] = value; return std::tie(m1); }
  else if constexpr (count == 2) { auto& [m1, m2] = value; return std::tie(m1, m2); }
  else if constexpr (count == 3) { auto& [m1, m2, m3] = value; return std::tie(m1, m2, m3); }
  else if constexpr (count == 4) { auto& [m1, m2, m3, m4] = value; return std::tie(m1, m2, m3, m4); }
  else if constexpr (count == 5) { auto& [m1, m2, m3, m4, m5] = value; return std::tie(m1, m2, m3, m4, m5); }
  else if constexpr (count == 6) { auto& [m1, m2, m3, m4, m5, m6] = value; return std::tie(m1, m2, m3, m4, m5, m6); }
  else if constexpr (count == 7) {
    auto& [m1, m2, m3, m4, m5, m6, m7] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7);
  }
  else if constexpr (count == 8) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8);
  }
  else if constexpr (count == 9) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9);
  }
  else if constexpr (count == 10) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10);
  }
  else if constexpr (count == 11) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11);
  }
  else if constexpr (count == 12) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12);
  }
  else if constexpr (count == 13) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13);
  }
  else if constexpr (count == 14) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14);
  }
  else if constexpr (count == 15) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15);
  }
  else if constexpr (count == 16) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16);
  }
  else if constexpr (count == 17) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17);
  }
  else if constexpr (count == 18) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18);
  }
  else if constexpr (count == 19) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19);
  }
  else if constexpr (count == 20) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20);
  }
  else if constexpr (count == 21) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21);
  }
  else if constexpr (count == 22) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22);
  }
  else if constexpr (count == 23) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23);
  }
  else if constexpr (count == 24) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24);
  }
  else if constexpr (count == 25) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25);
  }
  else if constexpr (count == 26) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26);
  }
  else if constexpr (count == 27) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27);
  }
  else if constexpr (count == 28) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28);
  }
  else if constexpr (count == 29) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29);
  }
  else if constexpr (count == 30) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30);
  }
  else if constexpr (count == 31) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31);
  }
  else if constexpr (count == 32) {
    auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32] = value;
    return std::tie(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32);
  }
  // clang-format on
}

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

template <class T>
struct Held {
  T value;
};
template <class T>
extern const Held<T> never_made;

// A class around the pointer: clang tells the name of what it points to only there.
template <class Pointer>
struct PointerTo {
  Pointer pointer;
};

template <class T, std::size_t I>
consteval auto pointer_to_member() {
  return PointerTo{&std::get<I>(members_of(never_made<T>.value))};
}

// The name at the end of what a compiler wrote: "… never_made<T>.value.T::city)", "… ns::Place".
constexpr std::string_view last_name_in(std::string_view text) {
  while (text.ends_with(')') || text.ends_with('}')) text.remove_suffix(1);
  std::size_t begin = text.size();
  const auto is_part_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  while (begin > 0 && is_part_of_name(text[begin - 1])) --begin;
  return text.substr(begin);
}

template <auto pointer>
consteval std::string_view name_of_pointer() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  return last_name_in(text.substr(0, text.rfind('}')));
}

template <class T, std::size_t I>
consteval std::string_view member_name() {
  constexpr std::string_view name = name_of_pointer<pointer_to_member<T, I>()>();
  static_assert(!name.empty(), "wright: the names of the fields of this struct cannot be derived. "
                               "Describe it with WRIGHT_DESCRIBE");
  return name;
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <class T>
consteval std::string_view type_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::size_t begin = text.find("T = ");
  return last_name_in(text.substr(0, text.find_first_of(";]", begin)));
}

}  // namespace wright::detail
