-- owner: features/browser/. Browser sessions of runs, their pages, and the picture taken after each action.
create table browser_sessions (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  run_id uuid not null unique,
  status text not null default 'open' check (status in ('open', 'closed')),
  started_at timestamptz(3) not null default now(),
  closed_at timestamptz(3),
  -- sealed: the cookies, storage and addresses of an open session, for whoever opens it again
  state bytea,
  check ((status = 'closed') = (closed_at is not null))
);
create index browser_sessions_by_team on browser_sessions (team_id, id);

create table browser_pages (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  session_id uuid not null references browser_sessions (id) on delete cascade,
  url text not null,
  title text not null,
  active boolean not null,
  opened_at timestamptz(3) not null,
  closed_at timestamptz(3)
);
create index browser_pages_by_session on browser_pages (session_id, opened_at, id);

create table browser_screenshots (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  session_id uuid not null references browser_sessions (id) on delete cascade,
  run_id uuid not null,
  page_id uuid not null references browser_pages (id) on delete cascade,
  -- 1, 2, 3 … in its run
  seq int not null,
  -- the step of the run that the action is part of
  step int not null,
  action text not null,
  url text not null,
  title text not null,
  taken_at timestamptz(3) not null,
  offset_ms bigint not null,
  width int not null,
  height int not null,
  sha256 bytea not null references blobs (sha256),
  thumbnail_sha256 bytea not null references blobs (sha256)
);
create unique index browser_screenshots_timeline on browser_screenshots (run_id, seq);
-- the last picture of a page
create index browser_screenshots_by_page on browser_screenshots (page_id, seq);
create index browser_screenshots_by_session on browser_screenshots (session_id);
-- what is old enough to be erased
create index browser_screenshots_by_age on browser_screenshots (taken_at);
-- whether bytes are still named
create index browser_screenshots_by_blob on browser_screenshots (sha256);
create index browser_screenshots_by_thumbnail on browser_screenshots (thumbnail_sha256);

-- A session ends with its run, whoever ends that and in whatever statement. Cookies have no use after it, so none are kept.
create function close_browser_of_run() returns trigger language plpgsql as $$
begin
  update browser_sessions set status = 'closed', closed_at = now(), state = null
  where id = new.browser_session_id and status = 'open';
  update browser_pages set closed_at = now(), active = false
  where session_id = new.browser_session_id and closed_at is null;
  return null;
end
$$;
create trigger runs_close_browser after update of status on runs for each row
  when (new.browser_session_id is not null and new.status <> old.status and new.status in ('completed', 'failed', 'stopped'))
  execute function close_browser_of_run();
