#!/bin/sh
# Tests of tides.sh: a line for each, and a status that tells whether all went well.
status=0
check() {
  got=$(sh tides.sh "$1" | tr '\n' ' ')
  if [ "$got" = "$2" ]; then
    echo "ok    first high water at $1"
  else
    echo "FAIL  first high water at $1: got $got, wanted $2"
    status=1
  fi
}
check 130 '02:10 14:35 '
check 700 '11:40 00:05 '
exit $status
