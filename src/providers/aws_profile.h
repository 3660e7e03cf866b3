// AWS's shared files: ~/.aws/config and ~/.aws/credentials. Pure: their texts come in as values.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace wright::providers {

// The settings of one profile: aws_access_key_id, region, credential_process, … What the
// credentials file says comes on top of what the config file does, where the section is called
// "profile NAME". A profile that is in neither is empty.
std::map<std::string, std::string> aws_profile(std::string_view config,
                                               std::string_view credentials, std::string_view name);

}  // namespace wright::providers
