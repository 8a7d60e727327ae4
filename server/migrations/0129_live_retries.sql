-- owner: features/webhooks/. Outside transactions: retries are found without those of webhooks that are deleted or disabled.
-- Older code: works.

-- Each process asks twice a second whether there is any. delivery_targets_by_retry also has targets that nothing is sent to any more, some for a day
-- and some for ever.
create index concurrently if not exists delivery_targets_live_retries on delivery_targets (retry_at)
  where retry_at is not null and active and deleted_at is null
