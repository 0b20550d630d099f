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
# The tests of `shoal publish` start servers of their own and need the programs alone, no running cluster.
install_postgresql() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql-common >/dev/null &&
        sed -i 's/^#* *create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf &&
        apt-get install -y -qq --no-install-recommends postgresql >/dev/null
}
if ! command -v initdb >/dev/null && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    install_postgresql || echo "the tests of shoal publish need PostgreSQL: apt-get install postgresql" >&2
fi
# The test of `shoal report` opens its page in a browser.
install_chromium() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null
}
if ! command -v chromium >/dev/null; then
    install_chromium || echo "the tests of shoal report need Chromium: apt-get install chromium" >&2
fi
echo "setting up .venv (once)" >&2
"$python" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
.venv/bin/python -m compileall -q src
