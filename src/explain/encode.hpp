// Text as it may stand in other languages. Names of files, sessions and keys come from input
// and may hold any bytes; what comes out of here is valid UTF-8 and says the same in its
// language. Bytes that are not UTF-8 become U+FFFD, and so does what the language has no way to
// write.
#pragma once

#include <string>
#include <string_view>

namespace isolde::explain {

/// The characters of an XML 1.0 document, before an XML library escapes them.
std::string xml_characters(std::string_view text);

/// An EDN string with its quotes.
std::string edn_string(std::string_view text);

/// The message of a workflow command of GitHub.
std::string annotation_message(std::string_view text);
/// The value of one of its properties.
std::string annotation_property(std::string_view text);

/// 16 hexadecimal digits that stand for the text; the same for ever, for people compare them
/// between runs of different versions. Not a cryptographic promise.
std::string fingerprint(std::string_view text);

/// The path as a URI (file:///...) when it is absolute, else as a relative reference. Bytes are
/// kept, percent-encoded.
std::string uri_of_path(std::string_view path);

}  // namespace isolde::explain
