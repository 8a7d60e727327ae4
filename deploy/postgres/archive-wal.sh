#!/bin/sh
# The archive_command of PostgreSQL: stores one file of the write-ahead log. In postgresql.conf:
#   archive_mode = on
#   archive_timeout = 60
#   archive_command = '/usr/local/lib/runyard/archive-wal.sh /srv/runyard-archive "%p" "%f"'
# It never replaces a file by another one, and a file has its name only when it is whole and on disk. Anything but 0 makes PostgreSQL repeat.
set -eu
archive=$1 path=$2 name=$3
target=$archive/wal/$name
mkdir -p "$archive/wal"
# a file that was stored just before a crash comes again
if [ -e "$target" ]; then exec cmp -s "$path" "$target"; fi
part=$target.part
cp "$path" "$part"
sync "$part"
mv "$part" "$target"
sync "$archive/wal"
