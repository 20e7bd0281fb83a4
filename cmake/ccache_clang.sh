#!/bin/sh
# ccache_clang.sh COMMAND...: compiles with clang through ccache, so that another clone of the tree
# finds what this one compiled.
#
# A precompiled header holds the paths of its clone, and clang refuses it in another one. So it is
# always compiled, and beside it goes a sum of what it was made from, which ccache takes in its place
# (CCACHE_PCH_EXTSUM, https://ccache.dev/manual/4.7.5.html#config_pch_external_checksum). ccache makes
# paths relative, but not those after -Xclang, which is how CMake names precompiled headers.
set -eu
count=$#
output=
last=
for word; do
  [ "$last" != -o ] || output="$word"
  last="$word"
  case "$word" in "$PWD"/*) word="${word#"$PWD"/}" ;; esac
  set -- "$@" "$word"
done
shift "$count"

case "$output" in
  *.pch) ;;
  *) exec ccache "$@" ;;
esac
"$@"
# The headers it was made from, of the list of dependencies beside it.
sed 's/^[^:]*: *//; s/\\$//' "$output.d" | xargs cat | sha256sum >"$output.sum"
