-- owner: kit/. What the kit keeps of requests: stored replies, rate windows, the audit log, last use of credentials.
-- No foreign keys to teams in the tables that every request writes: the team is the credential's, which has one, and the check would
-- lock the same team's row with every write.
create table idempotency_keys (
  team_id uuid not null,
  key text not null,
  request_hash bytea not null,
  status smallint,
  reply bytea,
  -- a committed claim of an operation with outside effects is free again when this passes; null: the claim was never committed alone
  claimed_until timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (team_id, key)
);
alter table idempotency_keys alter column reply set storage external;
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

-- unlogged: a crash forgets at most one minute of counting, and a lease costs no flush of the write-ahead log
create unlogged table rate_windows (
  bucket text primary key,
  window_start timestamptz not null,
  used bigint not null
);

create table audit_log (
  id uuid primary key,
  team_id uuid not null,
  created_at timestamptz(3) not null default now(),
  member_id uuid,
  credential_type text not null,
  credential_id uuid,
  operation text not null,
  target_type text,
  target_id text,
  request_id text not null,
  status smallint not null,
  error text
);
create index audit_log_by_team on audit_log (team_id, created_at desc, id desc);
create index audit_log_by_operation on audit_log (team_id, operation, created_at desc, id desc);
create index audit_log_by_member on audit_log (team_id, member_id, created_at desc, id desc);

create function audit_log_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function audit_log_is_append_only();

create table credential_uses (
  credential_id uuid primary key,
  last_used_at timestamptz(3) not null
);
