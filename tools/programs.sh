#!/bin/sh
# Programs that tests start, where apt-get is at hand: PostgreSQL for `shoal publish`, a browser for pages,
# Java for Spark, OpenSSH for signatures.
set -eu

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }
install() { apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }

# The tests start servers of their own and need the programs alone, no running cluster.
install_postgresql() {
    install postgresql-common &&
        sed -i 's/^#* *create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf &&
        install postgresql
}

missing=""
command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="postgresql"
command -v chromium >/dev/null || missing="$missing chromium"
command -v java >/dev/null || missing="$missing default-jre-headless"
command -v ssh-keygen >/dev/null || missing="$missing openssh-client"
[ -n "$missing" ] || exit 0
if ! may_install; then
    echo "the tests need these packages of the system:$missing" >&2
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
for package in $missing; do
    if [ "$package" = postgresql ]; then install_postgresql; else install "$package"; fi
done
