-- owner: features/queues/. Ended actions are kept for a time, not for ever.
create index bulk_actions_by_end on bulk_actions (completed_at) where completed_at is not null;
