-- owner: features/agents/. Hidden agents: other records run their work as runs of one. No caller finds it or its builds.
alter table agents add column is_hidden boolean not null default false;

-- lists and counts go past hidden agents without reading them; whatever else finds an agent has its id
create index agents_shown on agents (team_id, id) where deleted_at is null and not is_hidden;
drop index agents_by_team;

-- Gives a draft of a hidden agent another config. A function, because the end of a run does it too, in a trigger.
create function configure_hidden_build(build uuid, wanted jsonb, by uuid) returns void language plpgsql as $$
begin
  update builds b set config = wanted, config_by = by, updated_at = now()
  from agents a where b.id = build and b.status = 'draft' and a.id = b.agent_id and a.is_hidden;
  if not found then
    raise exception 'the build % is not a draft of a hidden agent', build;
  end if;
end $$;
