// What a certificate claims, in words, and what that is worth.
#pragma once

#include <string>

#include "history/certificate.hpp"
#include "history/evidence.hpp"
#include "isolde/history.hpp"

namespace isolde::api {

/// "snapshot-isolation is violated" or "... holds", with what kind of proof.
std::string claim(const Certificate& certificate);

/// What a proof says little for: check() would have left the level undecided, or said that it
/// was not put to the test; and what it takes for granted of a history that is cut off. A
/// clause that begins with "but"; mostly empty.
std::string caveat(const History& history, const Certificate& certificate,
                   const history::Evidence& evidence);

}  // namespace isolde::api
