#!/bin/sh
# Make .venv with shoal and its development tools; a fresh machine needs Python 3.11 and a network.
set -eu
python="${1:-python3}"

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -y -qq python3 python3-venv >/dev/null
    else
        echo "shoal needs Python 3.11 or newer: install it, or run make PYTHON=/path/to/python3.11" >&2
        exit 2
    fi
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
    else
        echo "Python's venv module is missing: install the package python3-venv" >&2
        exit 2
    fi
fi
echo "setting up .venv (once)" >&2
"$python" -m venv .venv
# Python compiles the modules it imports; compiling all that is installed takes as long as installing it.
install() { .venv/bin/python -m pip install --quiet --quiet --disable-pip-version-check --no-compile --editable "$1"; }

rm -f .venv/.kernels
install .
# Methods are compiled while the tools of development are fetched; installing again hides the package for a moment.
{ PYTHONPATH=src .venv/bin/python -m shoal warm >.venv/warm.log 2>&1 && touch .venv/.kernels; } &
install '.[dev]'
.venv/bin/python -m compileall -q src
wait
