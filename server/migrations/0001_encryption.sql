-- owner: base/. Which encryption key this database was written with, proved by a value only that key opens.
create table encryption_keys (
  key_id text primary key,
  canary bytea not null,
  created_at timestamptz(3) not null default now()
);
