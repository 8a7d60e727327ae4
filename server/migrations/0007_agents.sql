-- owner: features/agents/. Agents and their builds: versions of a config, of which exactly one is live.
create table agents (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  name text not null,
  description text,
  memory_enabled boolean not null,
  -- the number of the latest build: raised in the statement that inserts one, so numbers have neither gaps nor twins
  builds_count int not null,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- rows stay, so that runs of a deleted agent keep its name and their build
  deleted_at timestamptz(3)
);
create index agents_by_team on agents (team_id, id) where deleted_at is null;

create table builds (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  revision_number int not null,
  name text not null,
  revision_name text,
  revision_description text,
  status text not null check (status in ('draft', 'live', 'historic')),
  config jsonb not null,
  -- what it was copied from, which may be a build of another agent of the team
  parent_build_id uuid,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- when it became live, the last time it did
  published_at timestamptz(3),
  unique (agent_id, revision_number)
);
-- the live build of an agent is read from here and kept nowhere else, so nothing can disagree with it
create unique index builds_one_live on builds (agent_id) where status = 'live';
