-- owner: features/memory/. Memory: the small files that an agent keeps from run to run.

-- One row an agent: its writers stand in line here, so that limits and generations are decided one after the other.
create table memory_stores (
  agent_id uuid primary key references agents (id) on delete cascade,
  team_id uuid not null references teams (id) on delete cascade,
  files int not null default 0,
  size_bytes bigint not null default 0,
  -- the highest generation that a deleted file had: a path that is written anew goes on above it, so that nobody takes the
  -- new file for the one they read; it costs one number an agent, where tombstones would cost a row a deletion
  generation_base bigint not null default 0,
  -- raised by every change: what was read in the statement that waited for this row is stale when this number moved
  changes bigint not null default 0
) with (fillfactor = 50);

create table memory_files (
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references memory_stores (agent_id) on delete cascade,
  path text collate "C" not null,
  content text not null,
  size_bytes int not null generated always as (octet_length(content)) stored,
  generation bigint not null,
  source_type text not null check (source_type in ('run', 'user')),
  source_run_id uuid,
  updated_at timestamptz(3) not null default now(),
  primary key (agent_id, path)
);
