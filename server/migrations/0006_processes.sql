-- owner: kit/. The processes that work on this database; each holds a session lock for as long as it lives.
create sequence process_lock_keys as int cycle;
create table processes (
  id uuid primary key,
  role text not null,
  host text not null,
  pid int not null,
  lock_key int not null unique default nextval('process_lock_keys'),
  -- graphile-worker locks jobs by pool: this is what a takeover unlocks
  job_pool_id text,
  started_at timestamptz(3) not null default now()
);
