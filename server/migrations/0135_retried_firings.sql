-- owner: features/schedules/. Outside transactions: when a schedule that could not be fired is tried again, beside the times at which it was due.
-- Older code: works.
-- Each statement ends with an empty line, and may be run again after a process was killed in the middle of it.

alter table schedules add column if not exists retry_at timestamptz(3)

-- When each is to be fired: at its due time, or at the retry if that is later.
create index concurrently if not exists schedules_to_fire on schedules (greatest(next_run_at, retry_at)) where next_run_at is not null
