#!/bin/sh
# Makes a base backup beside the archived write-ahead log, verifies it, and removes what the oldest kept one does not need. Run it once a day, as
# a user whom PostgreSQL lets replicate: base-backup.sh ARCHIVE [KEEP]. The connection is that of the PG… variables (PGHOST, PGUSER …).
set -eu
archive=$1 keep=${2:-7}
name=$(date -u +%Y%m%dT%H%M%SZ)
mkdir -p "$archive/base"
part=$archive/base/.part-$name
trap 'rm -rf "$part"' EXIT
pg_basebackup --pgdata="$part" --wal-method=none --checkpoint=fast --label="runyard $name" --no-password
# the log that belongs to it is in the archive: it is verified when it is restored
pg_verifybackup --no-parse-wal --quiet "$part"
mv "$part" "$archive/base/$name"
sync "$archive/base"
# the oldest that is kept says which log is needed
old=$(ls "$archive/base" | sort -r | tail -n "+$((keep + 1))")
for one in $old; do rm -rf "$archive/base/$one"; done
oldest=$(ls "$archive/base" | sort | head -n 1)
first=$(sed -n 's/^START WAL LOCATION: .*(file \(.*\))$/\1/p' "$archive/base/$oldest/backup_label")
pg_archivecleanup "$archive/wal" "$first"
echo "$archive/base/$name"
