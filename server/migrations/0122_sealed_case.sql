-- owner: features/evidence/. The case that a run had when it was sealed: a run that goes on after its end may claim another one, and the events
-- that named the first may be erased by then.
-- Older code: works.

alter table run_seals add column case_id uuid;
