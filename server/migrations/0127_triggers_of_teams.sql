-- owner: features/triggers/. Outside transactions: each team's triggers with something that waits are found without those of other teams,
-- and its triggers for events are counted.
-- Older code: works.

create index concurrently if not exists trigger_deliveries_waiting_by_team on trigger_deliveries (team_id, trigger_id) where state = 'waiting'

create index concurrently if not exists triggers_for_events on triggers (team_id) where kind = 'event'
