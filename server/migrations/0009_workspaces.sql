-- owner: features/sandboxes/. Workspaces: which files a sandbox holds, and since and until which step of its run.
create table sandboxes (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  -- the run whose workspace it is; null: made by a caller, for no run yet
  run_id uuid unique,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3)
);
create index sandboxes_by_team on sandboxes (team_id, id);

-- A change never overwrites: the row that was current gets an end, so that the workspace of any earlier step can be told.
create table workspace_files (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  sandbox_id uuid not null references sandboxes (id) on delete cascade,
  path text collate "C" not null check (path like '/workspace/_%'),
  sha256 bytea not null,
  size_bytes bigint not null,
  modified_at timestamptz(3) not null default now(),
  from_step int not null,
  until_step int
);
create unique index workspace_files_current on workspace_files (sandbox_id, path) where until_step is null;
create index workspace_files_by_step on workspace_files (sandbox_id, from_step);
