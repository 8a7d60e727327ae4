-- owner: features/views/. Views that members saved: a name for the filter of a list.
create table saved_views (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  -- who made it, also when they have left the team
  member_id uuid not null references members (id) on delete cascade,
  screen text not null check (screen in ('runs', 'cases', 'human_requests')),
  name text not null,
  filter jsonb not null,
  is_shared boolean not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index saved_views_by_name on saved_views (member_id, screen, name);
create index saved_views_by_team on saved_views (team_id, name, id);
