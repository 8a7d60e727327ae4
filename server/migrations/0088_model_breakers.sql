-- owner: engine/. Which providers of models fail just now, known to every process: runs that have another model do not wait for them.
create table model_breakers (
  provider text not null,
  -- whose key it fails with; null: the server's
  team_id uuid references teams (id) on delete cascade,
  -- failed attempts since the last answer
  failures int not null,
  -- until then nobody who has another model asks it
  open_until timestamptz(3),
  -- how often it was opened in a row: each time it stays open longer
  openings int not null default 0,
  -- somebody asks it again to see whether it works, and has until then to tell
  probing_until timestamptz(3),
  updated_at timestamptz(3) not null default now()
);
create unique index model_breakers_key on model_breakers (provider, team_id) nulls not distinct;
create index model_breakers_by_team on model_breakers (team_id);
