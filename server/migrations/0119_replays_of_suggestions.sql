-- owner: features/replays/. A suggestion has a replay set of its own, which no list shows.
-- Older code: works.
alter table replay_sets add column of_suggestion boolean not null default false;
