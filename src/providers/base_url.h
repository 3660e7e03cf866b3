// A vendor's address, as people write it and as encoders need it. Nothing here knows any vendor.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "wright/provider.h"

namespace wright::providers {

// The one form of a base URL that encoders append their paths to. Trailing slashes and the path of
// the protocol's own call are removed, and the protocol's version is added where there is none:
//
//   protocol     added             where
//   OpenAI's     /v1               the URL has no path at all
//   Anthropic's  /v1               the path does not end with a version (/v1, /v2beta, …)
//   Gemini's     /v1beta           the path does not end with a version
//   Ollama's     /api              the path does not end with /api; a /v1 at the end is taken off
//
//   Converse     nothing
//
// On Azure, /openai/v1 is added where the URL has no path; at Google, where the path names a
// publisher, nothing is.
//
// "http://localhost:8000", "http://localhost:8000/v1/" and
// "http://localhost:8000/v1/chat/completions" are so the same place. Refuses what is not an HTTP
// URL, and a user name, a query or a fragment in it.
Result<std::string> canonical_base_url(Protocol protocol, std::string_view url);
Result<std::string> canonical_base_url(Platform platform, Protocol protocol, std::string_view url);

// The URL with what stands in braces filled in: "https://{region}.example.com". `value_of` gives
// the value for a name, empty where there is none; then it fails and names what is missing.
Result<std::string> filled_in(std::string_view url,
                              const std::function<std::string(const std::string&)>& value_of);

// The URL that OLLAMA_HOST means to Ollama's own programs: "[scheme://]host[:port][/path]". The
// scheme is http unless it is there, the port 11434 unless it or a scheme is there, and the address
// that a server listens on for all is that of this machine.
std::string url_of_ollama_host(std::string_view host);

}  // namespace wright::providers
