#!/bin/sh
# Restores a base backup and the archived log into a new data directory: restore.sh ARCHIVE DIRECTORY [TIME]
# TIME ('2030-01-31 12:00:00+00') is the moment to stop at; without it everything that was archived is restored. Start PostgreSQL on DIRECTORY
# afterwards: it replays the log, then serves. Run it as the user of PostgreSQL.
set -eu
archive=$1 directory=$2 time=${3:-}
if [ -e "$directory" ] && [ -n "$(ls -A "$directory")" ]; then
  echo "$directory is not empty. Restore into a new one, and keep the old one until you have seen the new one work." >&2
  exit 1
fi
chosen=
for one in $(ls "$archive/base" | sort); do
  # a backup can only lead to a time after its end; the manifest is written last
  if [ -n "$time" ]; then
    ended=$(stat -c %Y "$archive/base/$one/backup_manifest")
    [ "$ended" -lt "$(date -d "$time" +%s)" ] || continue
  fi
  chosen=$one
done
if [ -z "$chosen" ]; then
  echo "No base backup in $archive/base ended before ${time:-now}." >&2
  exit 1
fi
mkdir -p "$directory"
cp -a "$archive/base/$chosen/." "$directory/"
chmod 0700 "$directory"
{
  echo "restore_command = 'cp \"$archive/wal/%f\" \"%p\"'"
  if [ -n "$time" ]; then
    echo "recovery_target_time = '$time'"
    echo "recovery_target_action = 'promote'"
  fi
} >>"$directory/postgresql.auto.conf"
touch "$directory/recovery.signal"
echo "Restored $chosen into $directory. Start PostgreSQL on it."
