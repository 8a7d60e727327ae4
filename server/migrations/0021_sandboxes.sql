-- owner: features/sandboxes/. Sandboxes of callers: what is uploaded to them, what runs in them, and what else than files a workspace holds.
alter table sandboxes
  -- another one with every change of its files: whoever laid them out sees whether that is still so
  add column version uuid not null default gen_random_uuid(),
  -- bytes of all rows of its files, those of earlier steps too: what its quota counts
  add column kept_bytes bigint not null default 0,
  -- files, links and empty folders that are there now
  add column entries int not null default 0,
  -- the last step that changed it, and what its present run adds to the numbers of its own steps: they rise from run to run
  add column last_step int not null default 0,
  add column step_base int not null default 0;
-- the runs of a sandbox, one after the other; run_id of the sandbox is the last of them
create table sandbox_uses (
  run_id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  sandbox_id uuid not null references sandboxes (id) on delete cascade,
  step_base int not null
);
create index sandbox_uses_by_sandbox on sandbox_uses (sandbox_id);
create index sandboxes_expiring on sandboxes (expires_at) where expires_at is not null;

-- a workspace that is laid out again is the same: with its empty folders, links and executable files
alter table workspace_files
  add column kind text not null default 'file' check (kind in ('file', 'dir', 'link')),
  add column is_executable boolean not null default false,
  add column link_target text,
  alter column sha256 drop not null,
  add check ((kind = 'file') = (sha256 is not null)),
  add check ((kind = 'link') = (link_target is not null));

-- Addresses to upload to: one successful PUT each. While bytes arrive the row is claimed, and the claim renewed.
create table file_uploads (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  sandbox_id uuid not null references sandboxes (id) on delete cascade,
  path text not null,
  expires_at timestamptz(3) not null,
  claim uuid,
  claimed_until timestamptz(3),
  spent_at timestamptz(3)
);
create index file_uploads_by_sandbox on file_uploads (sandbox_id);
create index file_uploads_by_expiry on file_uploads (expires_at);

-- Commands that callers run in a sandbox: asked for by an API process, made by a worker, which answers here.
create table sandbox_execs (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  sandbox_id uuid not null references sandboxes (id) on delete cascade,
  command text not null,
  timeout_s int not null,
  requested_at timestamptz(3) not null default now(),
  -- nobody waits for its answer after this
  awaited_until timestamptz(3) not null,
  worker uuid,
  attempt int not null default 0,
  result jsonb,
  failure text,
  ended_at timestamptz(3)
);
-- one at a time in a sandbox
create unique index sandbox_execs_open on sandbox_execs (sandbox_id) where ended_at is null;
create index sandbox_execs_waiting on sandbox_execs (requested_at) where ended_at is null;
create index sandbox_execs_ended on sandbox_execs (ended_at) where ended_at is not null;
create index sandbox_execs_by_sandbox on sandbox_execs (sandbox_id);
