-- owner: features/secrets/. Named sets of variables for runs: their names are open, their values are sealed.
create table secrets (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  -- who made it; null: that member has left
  user_id uuid references members (id) on delete set null,
  name text not null,
  -- false: only for runs that act for its maker alone
  shared boolean not null default true,
  env_var_keys text[] not null,
  -- all variables of the set as one sealed JSON object
  sealed bytea not null,
  -- to the minute; no index has it, so that writing it touches none
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index secrets_by_team on secrets (team_id, created_at desc, id desc);
-- builds and procedures name them
create unique index secrets_by_name on secrets (team_id, name);
create index secrets_by_user on secrets (user_id);
