// Takes out of texts what can be recognised as a password.
#pragma once

#include <string>
#include <string_view>

namespace isolde::base {

/// With *** for the password in a URL ("scheme://user:***@host"), for the value of each name
/// that says password, pwd, secret, token, api-key or the like, as in "PGPASSWORD=***",
/// "password = ***" and {"password":***}, and for each value that was kept. The result stays
/// the same when it is given again.
std::string without_secrets(std::string text);

/// The same for a command, in which the value may also stand behind its option or a colon, as
/// in "--password ***", "password: ***", "-u user:***" and mysql's "-p***".
std::string command_without_secrets(std::string command);

/// From here on without_secrets() takes out this value wherever it stands, unless it is shorter
/// than four characters: a program may quote what it was given. From any thread.
void keep_secret(std::string_view value);
/// keep_secret() for what command_without_secrets() takes out.
void keep_secrets_of(const std::string& command);

}  // namespace isolde::base
