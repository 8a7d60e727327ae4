-- owner: features/evidence/. Outside transactions: ended runs are found by the transaction that ended them (decision 0070).
-- Older code: works.
-- Each statement ends with an empty line, and may be run again after a process was killed in the middle of it.

-- What has ended and is not sealed yet.
update runs r set ended_xid = r.event_xid from evidence_cursor c
  where r.completed_at is not null and (r.event_xid, r.id) > (c.xid, c.run_id) and r.ended_xid is distinct from r.event_xid

create index concurrently if not exists runs_by_last_end on runs (ended_xid, id) where completed_at is not null and ended_xid is not null

drop index concurrently if exists runs_by_last_event
