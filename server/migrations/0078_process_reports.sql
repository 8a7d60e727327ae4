-- owner: kit/. What each process last reported of itself.
alter table processes
  add column report jsonb,
  add column reported_at timestamptz(3);
