#!/bin/sh
# Installs the official SDKs, at the versions pinned in rivals/, into a cache.
#
#   bench/setup-sdks.sh [ts] [python]        (both when none is named)
#
# Does nothing when the pinned version is already there, so it needs the network
# once. Progress goes to stderr; stdout gets one line per SDK:
#
#   ts=DIRECTORY          with node_modules in it
#   python=INTERPRETER    which can import claude_agent_sdk
#
# PILOTHOUSE_SDKS_DIR replaces the default place, .cache/sdks in the workspace.
# The CLI that both packages bring along is left out: whoever uses these SDKs
# here names the executable, and forgetting to must not start the real one.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${PILOTHOUSE_SDKS_DIR:-$here/../.cache/sdks}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

say() { printf '%s\n' "setup-sdks: $*" >&2; }
fail() { say "$*"; exit 1; }
need() { command -v "$1" >/dev/null 2>&1 || fail "$1 is missing; $2"; }

# Two tests may ask at once. Where flock is missing they must not.
if command -v flock >/dev/null 2>&1; then
    exec 9>"$cache/.lock"
    flock 9
fi

# The stamp is a copy of what was asked for, written last: an install that was
# cut short has none and starts again.
is_installed() { cmp -s "$1" "$2/.installed"; }

install_ts() {
    wanted=$here/rivals/ts/package.json
    target=$cache/ts
    if ! is_installed "$wanted" "$target"; then
        need node "install Node.js 18 or newer"
        need npm "it comes with Node.js"
        say "installing the TypeScript SDK into $target"
        rm -rf "$target"
        mkdir -p "$target"
        cp "$wanted" "$target/package.json"
        (cd "$target" && npm install --omit=optional --ignore-scripts --no-audit --no-fund \
            --loglevel=error >&2) || fail "npm could not install the TypeScript SDK"
        cp "$wanted" "$target/.installed"
    fi
    printf 'ts=%s\n' "$target"
}

install_python() {
    wanted=$here/rivals/python/requirements.txt
    target=$cache/python
    if ! is_installed "$wanted" "$target"; then
        need python3 "install Python 3.10 or newer"
        say "installing the Python SDK into $target (downloads 160 MB)"
        rm -rf "$target"
        python3 -m venv "$target" ||
            fail "python3 cannot make virtual environments; install its venv module (apt: python3-venv)"
        "$target/bin/python" -m pip install --quiet --disable-pip-version-check \
            -r "$wanted" >&2 || fail "pip could not install the Python SDK"
        rm -f "$target"/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude
        cp "$wanted" "$target/.installed"
    fi
    printf 'python=%s\n' "$target/bin/python"
}

[ $# -gt 0 ] || set -- ts python
for sdk in "$@"; do
    case $sdk in
        ts) install_ts ;;
        python) install_python ;;
        *) fail "unknown SDK '$sdk': name ts, python or both" ;;
    esac
done
