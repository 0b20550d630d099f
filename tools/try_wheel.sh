#!/bin/sh
# Install a wheel into an empty place and let it tell its story: tools/try_wheel.sh WHEEL FOLDER [PYTHON]
# The tests, the container and whoever wants to try a wheel run these very steps.
set -eu
wheel="$1" place="$2" python="${3:-python3}"

"$python" -m venv "$place"
"$place/bin/python" -m pip install --quiet --quiet --disable-pip-version-check "$wheel"
story="$(mktemp -d)"
trap 'rm -rf "$story"' EXIT
cd "$story"  # nothing of a checkout is at hand
"$place/bin/shoal" demo -o demo
"$place/bin/shoal" verify demo/release --against demo/tax.csv
"$place/bin/python" -m shoal --version
