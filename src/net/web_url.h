// Web URLs as the HTTP client will read them, so that what is checked is what is requested. Opens
// nothing and resolves no names.
#pragma once

#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::net {

struct WebUrl {
  std::string text = {};    // without a fragment; odd spellings of IPv4 addresses normalised
  std::string scheme = {};  // http or https
  std::string host = {};    // lower case, ASCII, without brackets or a trailing dot
  int port = 0;

  // Whether both lead to the same server, so that credentials for one may go to the other.
  bool has_origin_of(const WebUrl& other) const {
    return scheme == other.scheme && host == other.host && port == other.port;
  }
};

// Refuses other schemes than http and https, names and passwords in the URL, control characters,
// hosts that are not ASCII, and text that is not a URL.
Result<WebUrl> web_url_from(std::string_view text);

// Where `reference`, such as a link on the page or a redirection, leads from `base`.
Result<WebUrl> resolved(const WebUrl& base, std::string_view reference);

// `url` with `name=value` added to its query, whatever is in the value.
Result<WebUrl> with_query(const WebUrl& url, std::string_view name, std::string_view value);

}  // namespace wright::net
