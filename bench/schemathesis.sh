#!/bin/sh
# Checks the API against its own description: the document against the rules of OpenAPI 3.1, and the
# daemon with requests that are made up from it. No answer may be a 5xx, and every answer must be one
# that is described.
#
#   bench/schemathesis.sh [SECONDS]
#
# Needs Python 3 with venv; what else it needs goes into target/schemathesis.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-120}
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
venv=$target/schemathesis
if [ ! -x "$venv/bin/st" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet schemathesis openapi-spec-validator
fi
cargo build --quiet -p pilothouse-host --bin pilothouse-daemon
cargo build --quiet -p testkit --bin sim

scratch=$(mktemp -d)
daemon=
# Only what was started here is ended: the runs by the marks that they bear, through the daemon.
clean_up() {
    if [ -n "$daemon" ]; then
        kill "$daemon" 2>/dev/null || true
        wait "$daemon" 2>/dev/null || true
    fi
    for pid_file in "$scratch"/data/runs/*/*/pid; do
        [ -e "$pid_file" ] || continue
        # shellcheck disable=SC2046
        kill $(cat "$pid_file") 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

mkdir "$scratch/work" "$scratch/home"
HOME="$scratch/home" "$target/debug/pilothouse-daemon" "$scratch/data" "$target/debug/sim" 127.0.0.1:0 \
    >"$scratch/out" 2>"$scratch/err" &
daemon=$!
tries=0
until grep -q '^listening on ' "$scratch/out"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ]; then
        cat "$scratch/err" >&2
        exit 1
    fi
    sleep 0.1
done
address=$(sed -n 's/^listening on //p' "$scratch/out")
base=http://${address#http://}
token=$(cat "$scratch/data/token")

curl --silent --fail --header "Authorization: Bearer $token" "$base/api/openapi.json" \
    --output "$scratch/openapi.json"
"$venv/bin/python" -m openapi_spec_validator "$scratch/openapi.json"

# A session that works, so that not everything ends with 404.
session=$(curl --silent --fail --header "Authorization: Bearer $token" \
    --header 'Content-Type: application/json' \
    --data "{\"cwd\":\"$scratch/work\"}" "$base/api/v1/sessions" |
    "$venv/bin/python" -c 'import json, sys; print(json.load(sys.stdin)["id"])')
cat >"$scratch/schemathesis.toml" <<CONFIG
[parameters]
"path.session" = "$session"
CONFIG

# Streams do not end by themselves; logging out everywhere would end this. One worker: with two, what
# makes up the requests trips over itself now and then, and says so as an error. What it keeps goes
# into the directory that it is called in.
status=0
cd "$scratch"
"$venv/bin/st" --config-file "$scratch/schemathesis.toml" run \
    "$scratch/openapi.json" --url "$base" \
    --header "Authorization: Bearer $token" \
    --exclude-path /api/v1/ws \
    --exclude-path '/api/v1/sessions/{session}/stream' \
    --exclude-path /api/v1/logout/everywhere \
    --exclude-operation-id deleteSession \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
    --phases examples,coverage,fuzzing \
    --max-examples "${EXAMPLES:-30}" --max-time "$seconds" \
    --request-timeout 40 --workers 1 --no-color || status=$?
if grep -i 'panicked' "$scratch/err"; then
    exit 1
fi
exit "$status"
