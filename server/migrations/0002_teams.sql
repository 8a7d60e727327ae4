-- owner: features/teams/. Teams and the people in them.
create table teams (
  id uuid primary key,
  name text not null,
  plan text not null default 'self_hosted',
  created_at timestamptz(3) not null default now()
);

create table members (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  name text not null,
  email text,
  role text not null check (role in ('admin', 'operator', 'viewer')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- rows stay, so that what a person did keeps its name
  removed_at timestamptz(3)
);
create index members_by_team on members (team_id, id) where removed_at is null;
create unique index members_one_email on members (team_id, lower(email)) where removed_at is null;
