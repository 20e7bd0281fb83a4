// What a certificate claims, in words.
#pragma once

#include <string>

#include "history/certificate.hpp"

namespace isolde::api {

/// "snapshot-isolation is violated" or "... holds", with what kind of proof.
std::string claim(const Certificate& certificate);

}  // namespace isolde::api
