-- owner: engine/. How many processes died over a run at the place where it is now, and how often it could not be advanced there.

alter table runs
  -- processes that died while they held it, since it last came forward; the third one is a process that held nothing else
  add column deaths smallint not null default 0,
  -- failures of the service to advance it, since it last came forward
  add column failures smallint not null default 0;
