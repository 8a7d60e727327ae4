-- owner: engine/. Runs of a private artifact, and what belongs to them, exist only for the member who made it.

-- Who alone may read the runs of the artifact with this hidden agent. Null: every member of the team. The nil id: nobody, because the
-- artifact was deleted. The rule is here once, for statements and triggers.
create function artifact_reader(agent uuid) returns uuid language plpgsql stable as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  reader uuid;
begin
  select case when visibility = 'private' then coalesce(created_by_user_id, nobody) end into reader from artifacts where agent_id = agent;
  return case when found then reader else nobody end;
end $$;

-- The hidden agent of a request's run; null for runs of other agents. So the inbox need not read the run of every request.
alter table human_requests add column hidden_agent_id uuid;
