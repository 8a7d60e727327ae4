-- owner: features/evidence/. Outside transactions: the log of every ended run is sealed, and the seals are signed (decision 0070).
-- Older code: works.
-- Each statement ends with an empty line, and may be run again after a process was killed in the middle of it.

-- The keys that sign. One is in use, the others stay: what they signed can be checked for ever.
create table if not exists evidence_keys (
  -- the first 16 hex digits of the SHA-256 of the public key
  id text primary key,
  public_key bytea not null,
  -- sealed with the encryption key of the installation
  private_key bytea not null,
  created_at timestamptz(3) not null default now(),
  retired_at timestamptz(3)
)

create unique index if not exists evidence_keys_in_use on evidence_keys ((retired_at is null)) where retired_at is null

-- What one signature is for: the heads of seals of one team, 32 bytes each.
create table if not exists evidence_signatures (
  id uuid primary key,
  team_id uuid not null,
  key_id text not null,
  created_at timestamptz(3) not null,
  heads bytea not null,
  signature bytea not null
)

-- What the log of a run was when it ended. A run that goes on after its end gets another seal, which takes in the one before.
create table if not exists run_seals (
  run_id uuid not null,
  number int not null,
  team_id uuid not null,
  -- the last event that it covers, and how many rows the events up to it are
  events_last int not null,
  events_rows int not null,
  events_link bytea not null,
  steps_last int not null,
  steps_rows int not null,
  steps_link bytea not null,
  -- only messages that are cut in their events: all others are whole there
  messages_rows int not null,
  messages_link bytea not null,
  config_hash bytea not null,
  head bytea not null,
  signature_id uuid not null,
  primary key (run_id, number)
)

-- How far the ended runs are sealed, in the order of the transactions that wrote their last events. What ended before this table was there
-- has no seal.
create table if not exists evidence_cursor (
  is_only boolean primary key default true check (is_only),
  xid bigint not null,
  run_id uuid not null
)

insert into evidence_cursor (xid, run_id) select event_xid(), 'ffffffff-ffff-ffff-ffff-ffffffffffff' on conflict do nothing

create index concurrently if not exists runs_by_last_event on runs (event_xid, id) where completed_at is not null
