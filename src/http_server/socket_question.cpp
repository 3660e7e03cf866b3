#include "http_server/socket_question.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace wright::http {
namespace {

constexpr std::string_view kMappedPrefix = "::ffff:";

struct Question {
  nlmsghdr header = {};
  inet_diag_req_v2 body = {};
};

// A socket of IPv6 that speaks to an address of IPv4 is found by that address.
std::string_view plain_form(std::string_view address) {
  const bool is_mapped =
      address.starts_with(kMappedPrefix) && address.find('.') != std::string_view::npos;
  return is_mapped ? address.substr(kMappedPrefix.size()) : address;
}

bool put_address(int family, std::string_view address, std::span<std::uint32_t, 4> words) {
  std::ranges::fill(words, 0);
  return ::inet_pton(family, std::string(address).c_str(), words.data()) == 1;
}

std::optional<Question> question_about(const SocketEnd& own, const SocketEnd& other) {
  const std::string_view from = plain_form(own.address);
  const std::string_view to = plain_form(other.address);
  const int family = from.find(':') == std::string_view::npos ? AF_INET : AF_INET6;
  Question question;
  question.header.nlmsg_len = sizeof(Question);
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.header.nlmsg_seq = 1;
  inet_diag_req_v2& body = question.body;
  body.sdiag_family = static_cast<std::uint8_t>(family);
  body.sdiag_protocol = IPPROTO_TCP;
  body.idiag_states = ~0U;
  body.id.idiag_sport = htons(static_cast<std::uint16_t>(own.port));
  body.id.idiag_dport = htons(static_cast<std::uint16_t>(other.port));
  std::ranges::fill(body.id.idiag_cookie, static_cast<std::uint32_t>(INET_DIAG_NOCOOKIE));
  if (!put_address(family, from, body.id.idiag_src) ||
      !put_address(family, to, body.id.idiag_dst)) {
    return std::nullopt;
  }
  return question;
}

// Nothing where it is no row of the socket that was asked for: an error, or a listening socket,
// which the kernel answers with where there is no connection.
std::optional<KnownSocket> read_answer(std::span<const char> bytes, const Question& question) {
  nlmsghdr header{};
  if (bytes.size() < NLMSG_HDRLEN) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof(header));
  inet_diag_msg row{};
  const bool is_row =
      header.nlmsg_type == SOCK_DIAG_BY_FAMILY && header.nlmsg_seq == question.header.nlmsg_seq &&
      header.nlmsg_len >= NLMSG_HDRLEN + sizeof(row) && bytes.size() >= NLMSG_HDRLEN + sizeof(row);
  if (!is_row) return std::nullopt;
  std::memcpy(&row, bytes.data() + NLMSG_HDRLEN, sizeof(row));
  if (row.id.idiag_sport != question.body.id.idiag_sport ||
      row.id.idiag_dport != question.body.id.idiag_dport) {
    return std::nullopt;
  }
  return KnownSocket{.state = row.idiag_state,
                     .user = row.idiag_uid,
                     .inode = row.idiag_inode};
}

}  // namespace

SocketQuestions::SocketQuestions()
    : kernel_(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {
  if (kernel_.get() < 0) return;
  // It answers before the question has been sent; where something stands in for it, nobody waits.
  const timeval patience{.tv_sec = 0, .tv_usec = 200'000};
  ::setsockopt(kernel_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

std::optional<KnownSocket> SocketQuestions::find(const SocketEnd& own,
                                                 const SocketEnd& other) const {
  const auto question = question_about(own, other);
  if (!question || kernel_.get() < 0) return std::nullopt;
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  if (::sendto(kernel_.get(), &*question, sizeof(*question), 0,
               reinterpret_cast<const sockaddr*>(&kernel),
               sizeof(kernel)) != static_cast<ssize_t>(sizeof(*question))) {
    return std::nullopt;
  }
  alignas(nlmsghdr) std::array<char, 2048> answer;
  sockaddr_nl sender{};
  socklen_t size = sizeof(sender);
  const ssize_t count = ::recvfrom(kernel_.get(), answer.data(), answer.size(), 0,
                                   reinterpret_cast<sockaddr*>(&sender), &size);
  // Any program may send to this socket; what the kernel sends has no port.
  if (count <= 0 || sender.nl_pid != 0) return std::nullopt;
  return read_answer({answer.data(), static_cast<std::size_t>(count)}, *question);
}

}  // namespace wright::http
