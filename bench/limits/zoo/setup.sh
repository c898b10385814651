#!/usr/bin/env bash
# Builds the limiters of every ecosystem with the versions that stand in their files. Needs Go, Rust, a JDK with Maven, Python 3,
# and from Debian: redis-server, haproxy, nginx. Nothing of it is needed by the tests, which judge the histories that were recorded.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${ZOO_BUILD:-/tmp/limits-zoo}
mkdir -p "$build"
python3 -m venv "$build/venv"
"$build/venv/bin/pip" install -q -r "$here/python/requirements.txt"
(cd "$here/go" && go build -o "$build/go-zoo" .)
(cd "$here/rust" && CARGO_TARGET_DIR="$build/cargo" cargo build -q --release --locked)
(cd "$here/java" && mvn -q -B dependency:copy-dependencies -DoutputDirectory="$build/jars")
javac -cp "$build/jars/*" -d "$build/classes" "$here/java/Zoo.java"
