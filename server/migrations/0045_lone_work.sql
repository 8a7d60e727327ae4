-- owner: engine/. Runs that processes died over wait apart from the others: a count of 2 for a process that does only suspects, 3 for one that does nothing else.
drop index runs_ready;
drop index runs_suspect;
create index runs_ready on runs (admitted_at) where admitted_at is not null and worker is null and deaths not in (2, 3);
create index runs_suspect on runs (admitted_at) where admitted_at is not null and worker is null and deaths in (2, 3);

-- how many of its deaths were forgiven since it last came forward, because processes that did not hold it died too
alter table runs add column spared smallint not null default 0;
create index runs_hurt on runs (id) where admitted_at is not null and deaths > 0;
