#!/bin/sh
# readme.sh README FIRST: the README of a package. Whoever installed it has the command and no tree
# of sources, so FIRST stands where README tells what to do with a tree.
set -eu
sed -e '1,/^\[Install\](#install)\.$/{
/^```$/,/^\[Install\](#install)\.$/{
/^\[Install\](#install)\.$/r '"$2"'
d
}
}' \
  -e '/^Below, `isolde` is the program that/,/^$/d' \
  -e 's/ After `\.\/dev build` and$/ After/' \
  -e 's/`build\/release\/isolde /`isolde /' \
  -e 's/(CHANGELOG\.md)/(changelog.gz)/' "$1" # which is what Debian calls it
