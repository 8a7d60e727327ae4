-- owner: kit/. Whether somebody has begun to set the work of a dead process free: what its death says about other work is counted once.
-- Older code: works.

alter table processes add column reaped_at timestamptz;
