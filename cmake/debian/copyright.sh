#!/bin/sh
# copyright.sh LICENSE PACKAGE...: the file copyright of a package; with what the licences of the
# Debian packages ask to keep, parts of which are compiled in.
set -eu
cat "$1"
shift
for package; do
  file="/usr/share/doc/$package/copyright"
  [ -e "$file" ] || continue
  printf '\n%s\nParts of %s are compiled in. Its own file:\n\n' \
    "------------------------------------------------------------------------" "$package"
  cat "$file"
done
