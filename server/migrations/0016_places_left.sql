-- owner: engine/. Places that runs left, beside the count of their team, so that a write of runs locks no row that every start locks.

-- Folded into admission.held by whoever changes that row next: admission.held less what lies here is what the team's runs hold.
create table places_left (
  team_id uuid not null,
  places int not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
