-- owner: features/webhooks/. Outside transactions: the deliveries of an event that belongs to no run.

create index concurrently if not exists deliveries_by_event on deliveries (event_id) where run_id is null
