-- owner: features/artifacts/. Artifacts: live pages with their revisions and their chat, and the run that works on each.
create table artifacts (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  -- the hidden agent whose runs work on it, with two drafts: one has the procedure of the current page, the other that of a message
  agent_id uuid not null unique references agents (id) on delete cascade,
  page_build_id uuid not null references builds (id),
  work_build_id uuid not null references builds (id),
  created_by_user_id uuid not null,
  title text,
  kind text not null check (kind in ('dashboard', 'document')),
  -- how the last work ended; while there is work, the status of its run counts
  status text not null check (status in ('not_started', 'completed', 'failed', 'interrupted')),
  -- the work under way
  run_id uuid,
  work text check (work in ('message', 'refresh')),
  -- the revision that a message under way changes; null: there was none
  base_revision_id uuid,
  visibility text not null default 'private' check (visibility in ('private', 'team', 'public')),
  publish_permission text not null default 'view' check (publish_permission in ('view', 'edit')),
  -- signed into the public URL. It is new each time that the artifact becomes public, so an old URL never works again
  public_key uuid,
  refresh_frequency text check (refresh_frequency in
    ('every_15_minutes', 'every_30_minutes', 'hourly', 'every_6_hours', 'daily', 'weekly')),
  next_refresh_at timestamptz(3),
  last_refresh_at timestamptz(3),
  refresh_error text,
  current_revision_id uuid,
  -- the number of the latest revision
  revisions_count int not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((run_id is null) = (work is null)),
  check ((visibility = 'public') = (public_key is not null)),
  check ((refresh_frequency is null) = (next_refresh_at is null))
);
create index artifacts_by_creator on artifacts (team_id, created_by_user_id, updated_at, id);
create index artifacts_shared on artifacts (team_id, updated_at, id) where visibility <> 'private';
create index artifacts_due on artifacts (next_refresh_at) where next_refresh_at is not null;

-- A page: the steps that give its data, the template that shows them, and what they last gave.
create table artifact_revisions (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  artifact_id uuid not null references artifacts (id) on delete cascade,
  version int not null,
  parent_revision_id uuid,
  -- the version of its parent, where a newer one existed: the page was taken back to it first
  restored_from_version int,
  procedure text not null,
  html text not null,
  data jsonb not null,
  -- when the steps gave the data
  data_at timestamptz(3) not null,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  -- a picture of the page; when the next one is due, and how often that failed in a row
  picture_sha256 bytea references blobs (sha256),
  picture_due_at timestamptz(3),
  picture_failures int not null default 0,
  unique (artifact_id, version)
);
create index artifact_revisions_by_picture on artifact_revisions (picture_sha256) where picture_sha256 is not null;
create index artifact_revisions_to_draw on artifact_revisions (picture_due_at) where picture_due_at is not null;

-- The page that the work under way has made so far. It becomes a revision, or new data of one, when the work ends well.
create table artifact_drafts (
  artifact_id uuid primary key references artifacts (id) on delete cascade,
  -- the run that holds the work
  run_id uuid not null,
  procedure text not null,
  html text not null,
  -- both as one procedure
  source text not null,
  data jsonb not null,
  made_at timestamptz(3) not null default now(),
  made_by uuid
);

create table artifact_messages (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  artifact_id uuid not null references artifacts (id) on delete cascade,
  author_user_id uuid,
  role text not null check (role in ('user', 'assistant')),
  content text not null,
  selected_element jsonb,
  run_id uuid,
  -- the page that it speaks of, and the page that came of it: both must be on the branch of the current page for it to be shown
  base_revision_id uuid,
  revision_id uuid,
  created_at timestamptz(3) not null default now()
);
create index artifact_messages_in_order on artifact_messages (artifact_id, id);
create index artifact_messages_by_run on artifact_messages (run_id) where run_id is not null;

create table artifact_connections (
  artifact_id uuid not null references artifacts (id) on delete cascade,
  connection_id uuid not null references connections (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (artifact_id, connection_id)
);
create index artifact_connections_by_connection on artifact_connections (connection_id);

-- The first refresh after now, in whole steps from the one before.
create function next_artifact_refresh(frequency text, since timestamptz) returns timestamptz language sql stable as $$
  select since + make_interval(secs => step * (1 + greatest(0, floor(extract(epoch from now() - since) / step))))
  from (
    select case frequency when 'every_15_minutes' then 900 when 'every_30_minutes' then 1800 when 'hourly' then 3600
      when 'every_6_hours' then 21600 when 'daily' then 86400 when 'weekly' then 604800 end as step
  ) steps
$$;

-- The current page and those that it came from.
create function artifact_branch(revision uuid) returns table (id uuid, version int) language sql stable as $$
  with recursive branch as (
    select r.id, r.version, r.parent_revision_id from artifact_revisions r where r.id = revision
    union all
    select r.id, r.version, r.parent_revision_id from artifact_revisions r join branch b on r.id = b.parent_revision_id
  )
  select branch.id, branch.version from branch
$$;

-- A page becomes the current one. `source` is its steps and its template as one procedure, which refreshes run from now on.
create function show_artifact_revision(revision artifact_revisions, source text) returns void language plpgsql as $$
declare
  build uuid;
begin
  update artifacts set current_revision_id = revision.id, updated_at = now() where id = revision.artifact_id
  returning page_build_id into build;
  perform configure_hidden_build(build,
    jsonb_set((select config from builds where id = build), '{data,input}', to_jsonb(source)), revision.created_by);
end
$$;

-- What the end of its run makes of an artifact, in the commit of that end: so a page is whole or is not shown at all.
create function end_work_on_artifact() returns trigger language plpgsql as $$
declare
  artifact artifacts;
  draft artifact_drafts;
  made artifact_revisions;
  parent_version int;
begin
  select * into artifact from artifacts where agent_id = new.agent_id and run_id = new.id for update;
  if not found then return null; end if;
  select * into draft from artifact_drafts where artifact_id = artifact.id and run_id = new.id and new.status = 'completed';
  if draft.run_id is not null and artifact.work = 'refresh' then
    update artifact_revisions set data = draft.data, data_at = draft.made_at, picture_failures = 0,
      -- a picture that is a few refreshes old still shows what the page is
      picture_due_at = coalesce(picture_due_at, now() + case when picture_sha256 is null then '0' else '1 hour' end::interval)
    where id = artifact.current_revision_id;
  elsif draft.run_id is not null then
    select version into parent_version from artifact_revisions where id = artifact.base_revision_id;
    insert into artifact_revisions (id, team_id, artifact_id, version, parent_revision_id, restored_from_version, procedure, html, data,
      data_at, created_by, picture_due_at)
    values (new_id(), artifact.team_id, artifact.id, artifact.revisions_count + 1, artifact.base_revision_id,
      nullif(parent_version, artifact.revisions_count), draft.procedure, draft.html, draft.data, draft.made_at, draft.made_by, now())
    returning * into made;
    perform show_artifact_revision(made, draft.source);
    update artifact_messages set revision_id = made.id where run_id = new.id;
  end if;
  if artifact.work = 'message' and new.status <> 'stopped' then
    insert into artifact_messages (id, team_id, artifact_id, role, content, run_id, base_revision_id, revision_id)
    values (new_id(), artifact.team_id, artifact.id, 'assistant',
      left(case
        when new.status = 'failed' then coalesce(new.error ->> 'message', 'The work failed, and no reason is known.')
        when jsonb_typeof(new.output) = 'string' and new.output #>> '{}' <> '' then new.output #>> '{}'
        when made.id is null then 'The page was not changed.'
        else 'Version ' || made.version || ' of the page is ready.' end, 100000),
      new.id, artifact.base_revision_id, made.id);
  end if;
  delete from artifact_drafts where artifact_id = artifact.id;
  update artifacts set run_id = null, work = null, base_revision_id = null, updated_at = now(),
    revisions_count = revisions_count + (made.id is not null)::int,
    status = case new.status when 'stopped' then 'interrupted' else new.status end,
    last_refresh_at = case when draft.run_id is not null then draft.made_at else last_refresh_at end,
    refresh_error = case
      when draft.run_id is not null then null
      when work <> 'refresh' then refresh_error
      when new.status = 'stopped' then 'The refresh was stopped.'
      when new.status = 'completed' then 'The steps ended without showing a page.'
      else left(coalesce(new.error ->> 'message', 'The refresh failed, and no reason is known.'), 10000) end
  where id = artifact.id;
  return null;
end
$$;
create trigger runs_end_work_on_artifact after update of status on runs for each row
  when (new.source = 'artifact' and new.status in ('completed', 'failed', 'stopped') and new.status <> old.status)
  execute function end_work_on_artifact();
