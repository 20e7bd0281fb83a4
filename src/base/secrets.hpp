// Takes out of texts what can be recognised as a password.
#pragma once

#include <string>

namespace isolde::base {

/// With *** for the password in a URL ("scheme://user:***@host") and for the value of each name
/// that says password, passwd, passphrase, secret or token, as in "PGPASSWORD=***" and
/// "password = ***". The result stays the same when it is given again.
std::string without_secrets(std::string text);

/// The same for a command, in which the value may also stand behind its option, as in
/// "--password ***".
std::string command_without_secrets(std::string command);

}  // namespace isolde::base
