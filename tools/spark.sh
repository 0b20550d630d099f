#!/bin/sh
# Spark for its tests, beside what else is made ready. It comes as half a gigabyte of source, of which pip makes
# a package first: not compressing that takes half the time.
set -eu
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile \
    --config-settings=--build-option=--compression=stored 'pyspark>=4.0,<5'
