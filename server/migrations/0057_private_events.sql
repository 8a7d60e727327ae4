-- owner: features/webhooks/. Webhooks of a team get no event of a run that only one member may read.
create or replace function events_are_delivered() returns trigger language plpgsql as $$
begin
  insert into deliveries (id, team_id, target_id, run_id, event_id, event, created_at, state, reason, settled_at)
  select delivery_id(e.id, t.id), e.team_id, t.id, e.run_id, e.id, e.event, e.created_at,
    case when t.active then 'new' else 'dead' end,
    case when not t.active then 'The subscription was disabled when this happened.' end,
    case when not t.active then now() end
  from fresh e join delivery_targets t on t.team_id = e.team_id
  where t.kind = 'subscription' and t.deleted_at is null and (t.active or t.disabled_at is not null)
    and t.events && array['*', e.event] and e.event <> all (t.withheld)
    and not exists (
      select from runs r where r.id = e.run_id and r.source = 'artifact' and artifact_reader(r.agent_id) is not null)
  order by e.run_id, e.sequence;
  if exists (
    select from fresh e join runs r on r.id = e.run_id
    where is_called_back(e.event)
      and r.callback_url is not null
  ) then
    insert into delivery_targets (id, team_id, kind, url)
    select gen_random_uuid(), r.team_id, 'callback', r.callback_url
    from fresh e join runs r on r.id = e.run_id where r.callback_url is not null group by r.team_id, r.callback_url
    on conflict (team_id, md5(url)) where kind = 'callback' do nothing;
    insert into deliveries (id, team_id, target_id, run_id, event_id, event, created_at)
    select delivery_id(e.id, t.id), e.team_id, t.id, e.run_id, e.id, e.event, e.created_at
    from fresh e join runs r on r.id = e.run_id
    join delivery_targets t on t.team_id = r.team_id and t.kind = 'callback' and md5(t.url) = md5(r.callback_url)
    where is_called_back(e.event)
      and r.callback_url is not null and not exists (select from ended_callbacks x where x.run_id = r.id)
    order by e.run_id, e.sequence;
  end if;
  return null;
end $$;
