-- owner: features/evaluations/. Which process judges, and how many died over it.
alter table judgements
  -- of processes; null where nobody holds it
  add column worker uuid,
  add column deaths smallint not null default 0;
create index judgements_by_worker on judgements (worker) where worker is not null;
