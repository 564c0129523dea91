#!/bin/sh
set -e
# dpkg says "upgrade", rpm says 1: another wsi takes the place of this one, and nothing is lost.
case "$1" in
upgrade | 1) exit 0 ;;
esac
echo "wsi: every user of wsi should run this before the package is removed: wsi remove"
echo "wsi: where wsi is still registered, hooks do nothing, and servers behind wsi relay do not start."
