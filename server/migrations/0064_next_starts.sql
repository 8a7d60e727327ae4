-- owner: features/schedules/. The next starts of a team.
create index schedules_next on schedules (team_id, next_run_at, id) where next_run_at is not null;
