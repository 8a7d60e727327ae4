-- owner: features/triggers/. An event that no trigger waits for costs its writer little, however many triggers there are (decision 0046).
create or replace function events_reach_triggers() returns trigger language plpgsql as $$
begin
  -- most databases have none
  if not exists (select from triggers t where t.kind = 'event' and t.enabled) then
    return null;
  end if;
  -- one look into the index for each event: in a join the planner expects a match at once, and reads all triggers of the team where there is none
  if not exists (
    select from fresh e where (
      select t.id from triggers t where t.team_id = e.team_id and t.event = e.event and t.kind = 'event' and t.enabled limit 1) is not null
  ) then
    return null;
  end if;
  insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes, caused_by_run_id)
  select new_id(), e.team_id, t.id, e.content, octet_length(e.content::text),
    coalesce(e.run_id, (e.data ->> 'run_id')::uuid,
      (select k.created_by_run_id from cases k where k.id = (e.data ->> 'case_id')::uuid and k.team_id = e.team_id))
  from (
    select f.*, json_build_object('event', json_build_object('id', f.id, 'event', f.event,
      'created_at', to_char(f.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', f.data)) as content
    from fresh f
  ) e join triggers t on t.team_id = e.team_id and t.event = e.event
  where t.kind = 'event' and t.enabled
    and (t.event_agent_id is null or t.event_agent_id::text = e.data ->> 'agent_id')
    and not exists (
      select from runs r where r.id = e.run_id and r.source = 'artifact' and artifact_reader(r.agent_id) is not null)
  order by e.run_id, e.sequence;
  return null;
end $$;
