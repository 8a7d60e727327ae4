-- owner: features/evidence/. The links of rows are made by the database, and a run says which transaction ended it (decision 0070).
-- Older code: works.

-- The link after a row: the SHA-256 of the link before it, or of the one to begin with, and of its digest.
create function link_after(link bytea, start bytea, digest bytea) returns bytea language plpgsql immutable parallel safe as $$
begin
  return sha256(coalesce(link, start) || digest);
end $$;

-- The link after many rows; null if there are none. Their order is that of the call.
create aggregate link_over(start bytea, digest bytea) (sfunc = link_after, stype = bytea, parallel = safe);

-- The transaction that wrote the last event, for a run that has ended. event_xid changes with every write of a run: while it was in an index,
-- each of them wrote all indexes anew, where a step alone writes none.
alter table runs add column ended_xid bigint;

create function note_end_of_run() returns trigger language plpgsql as $$
begin
  new.ended_xid := new.event_xid;
  return new;
end $$;

create trigger runs_ended before update of event_xid, completed_at on runs
  for each row when (new.completed_at is not null and new.ended_xid is distinct from new.event_xid) execute function note_end_of_run();
