-- owner: features/sandboxes/. Commands that wait are taken in turns by team, so each team's own are found by an index.
create index sandbox_execs_of_team on sandbox_execs (team_id, requested_at) where ended_at is null;
