#!/bin/sh
# Prints the high waters of a day. $1: the first one, in minutes after midnight.
set -eu
first=$1
for n in 0 1; do
  at=$((first + n * 720))
  printf '%02d:%02d\n' $((at / 60)) $((at % 60))
done
