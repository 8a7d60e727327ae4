-- owner: features/artifacts/. The chat says what a page cannot show, such as a column that no row has.
alter table artifact_drafts add column problems text;

create or replace function end_work_on_artifact() returns trigger language plpgsql as $$
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
        else 'Version ' || made.version || ' of the page is ready.' ||
          coalesce(' Not all of it can be shown. In its html block, ' || draft.problems, '') end, 100000),
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
