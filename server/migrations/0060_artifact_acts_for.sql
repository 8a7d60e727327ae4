-- owner: features/artifacts/. Whose words are in an artifact: its creator, and everybody else who has changed it. Its work acts on behalf of all of
-- them, so a private connection is used only where its maker alone decided what is done with it.
alter table artifacts add column acts_for uuid[] not null default '{}';
update artifacts a set acts_for = array(
  select distinct member from (
    select a.created_by_user_id as member
    union all select m.author_user_id from artifact_messages m where m.artifact_id = a.id
    union all select r.created_by from artifact_revisions r where r.artifact_id = a.id
  ) spoke where member is not null);
alter table artifacts add check (created_by_user_id = any(acts_for));

-- Whoever answers what the work asks has a word in what comes of it.
create function artifact_follows_run() returns trigger language plpgsql as $$
begin
  update artifacts set acts_for = array(select distinct member from unnest(acts_for || new.acts_for) as member)
  where agent_id = new.agent_id and not new.acts_for <@ acts_for;
  return null;
end
$$;
create trigger runs_artifact_follows after update of acts_for on runs for each row
  when (new.source = 'artifact' and new.acts_for <> old.acts_for)
  execute function artifact_follows_run();

-- Whether a member may change the runs of the artifact with this hidden agent: stop them, answer for them, touch their files.
create function artifact_editor(agent uuid, member uuid) returns boolean language sql stable as $$
  select exists (
    select from artifacts where agent_id = agent
      and (created_by_user_id = member or (visibility <> 'private' and publish_permission = 'edit')))
$$;
