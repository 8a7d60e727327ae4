-- owner: features/webhooks/. Outside transactions: deliveries are forgotten by their event, and webhooks that ended are found without the others.
-- Older code: works.

-- As before: an event that is erased takes its deliveries with it. Each event is looked up, however many targets its team has: callbacks have one
-- for each URL, so there may be thousands. One by one, by the index: in a join the planner could read all deliveries.
create or replace function events_are_forgotten() returns trigger language plpgsql as $$
begin
  delete from delivery_batches d using gone b where d.batch_id = b.id;
  delete from deliveries where id = any(array(
    select d.id from gone b cross join lateral event_places(b.id, b.last, b.kinds) e
    cross join lateral (select id from deliveries where run_id = b.run_id and event_id = e.id offset 0) d));
  delete from deliveries where id = any(array(
    select d.id from gone b cross join lateral event_places(b.id, b.last, b.kinds) e
    cross join lateral (select id from deliveries where run_id is null and event_id = e.id offset 0) d
    where b.run_id is null));
  return null;
end $$

-- Only what ended enters these: to disable or to delete a webhook writes one entry, and nothing else writes any.
create index concurrently if not exists delivery_targets_disabled on delivery_targets (id)
  where disabled_at is not null and not active and deleted_at is null

create index concurrently if not exists delivery_targets_deleted on delivery_targets (team_id, id) where deleted_at is not null
