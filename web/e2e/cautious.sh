#!/bin/sh
# The simulated CLI, whose requests are better denied.
"$SIM" "$@" | sed -u 's/"subtype":"can_use_tool"/&,"default_to_no":true,"requires_user_interaction":true/'
