-- owner: kit/. Positions of events in their team's stream, given after the commit to teams whose stream somebody reads.
alter table events add column position bigint;
create sequence event_positions;

-- An event enters three indexes when it is written, as before: of these two always exactly one has it, and nothing asked for the one that
-- goes. Getting its position, the row leaves the first and enters the second.
create index events_without_position on events (team_id, created_at) where position is null;
create index events_by_position on events (team_id, position) where position is not null;
drop index events_by_team;

-- The part of a team's events that has positions without a hole.
create table event_lines (
  team_id uuid primary key references teams (id) on delete cascade,
  -- events created from here on are part of it
  since timestamptz(3) not null,
  -- all of their positions are greater than this
  after_position bigint not null,
  -- when somebody last read it, or could have
  looked_at timestamptz(3) not null default now()
);
