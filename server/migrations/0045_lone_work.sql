-- owner: engine/. Runs that processes died over wait apart from the others: a count of 2 for a process that does only suspects, 3 for one that does nothing else.
-- A later migration builds the indexes that find them.
-- how many of its deaths were forgiven since it last came forward, because processes that did not hold it died too
alter table runs add column spared smallint not null default 0;
