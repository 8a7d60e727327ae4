-- owner: features/webhooks/. A target of a drill is delivered to by the processes of that drill alone.
-- Older code: works.

-- null: any process that works
alter table delivery_targets add column worker_pool text;
