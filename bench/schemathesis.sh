#!/bin/sh
# Checks the API against its own description: the document against the rules of OpenAPI 3.1, and the
# daemon with requests that are made up from it. No answer may be a 5xx, and every answer must be one
# that is described.
#
#   bench/schemathesis.sh [SECONDS]     so long at most; EXAMPLES=30 for each operation, SEED=1
#   bench/schemathesis.sh --fetch       only gets what it needs, from PyPI
#
# Needs Python 3 with venv; what else it needs goes into .cache/schemathesis, once.
set -eu
cd "$(dirname "$0")/.."
wanted='schemathesis==4.32.5 openapi-spec-validator==0.9.0 hypothesis==6.170.15'
venv=$PWD/.cache/schemathesis
# The stamp is written last: an install that was cut short begins again.
if [ "$(cat "$venv/.installed" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    # shellcheck disable=SC2086
    "$venv/bin/pip" install --quiet --disable-pip-version-check $wanted
    echo "$wanted" >"$venv/.installed"
fi
[ "${1:-}" != --fetch ] || exit 0
seconds=${1:-120}
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
cargo build --quiet --offline --workspace --bin pilothouse-daemon --bin sim

scratch=$(mktemp -d)
daemon=
# Only what was started here is ended: of the runs those whose holder lives, which has them locked.
clean_up() {
    if [ -n "$daemon" ]; then
        kill "$daemon" 2>/dev/null || true
        wait "$daemon" 2>/dev/null || true
    fi
    for pid_file in "$scratch"/data/runs/*/*/pid; do
        [ -e "$pid_file" ] || continue
        # shellcheck disable=SC2046
        flock --shared --nonblock "$pid_file" true || kill $(cat "$pid_file") 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

mkdir "$scratch/work" "$scratch/home"
mkfifo "$scratch/out"
exec 3<>"$scratch/out"
HOME="$scratch/home" "$target/debug/pilothouse-daemon" "$scratch/data" "$target/debug/sim" 127.0.0.1:0 \
    >&3 2>"$scratch/err" &
daemon=$!
if ! listening=$(timeout 60 head -n 1 <&3); then
    cat "$scratch/err" >&2
    exit 1
fi
base=http://${listening#listening on }
token=$(cat "$scratch/data/token")

# The document, and a session that works, so that not everything ends with 404.
session=$("$venv/bin/python" - "$base" "$token" "$scratch" <<'PYTHON'
import json, sys, urllib.request
base, token, scratch = sys.argv[1:]
def ask(path, body=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = body and json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(base + path, data, headers)) as answer:
        return answer.read()
with open(f"{scratch}/openapi.json", "wb") as document:
    document.write(ask("/api/openapi.json"))
print(json.loads(ask("/api/v1/sessions", {"cwd": f"{scratch}/work"}))["id"])
PYTHON
)
"$venv/bin/python" -m openapi_spec_validator "$scratch/openapi.json"
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
    --max-examples "${EXAMPLES:-30}" --max-time "$seconds" --seed "${SEED:-1}" \
    --request-timeout 40 --workers 1 --no-color || status=$?
if grep -i 'panicked' "$scratch/err"; then
    exit 1
fi
exit "$status"
