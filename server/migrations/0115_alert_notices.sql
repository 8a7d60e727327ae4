-- owner: features/notifications/. Members are told of alerts as they choose, like of everything else.
-- Older code: works.

-- rows from before have no choice about alerts, which means none
alter table notification_choices add column wants_alerts boolean not null
  generated always as (coalesce(mail ->> 'alerts', 'off') <> 'off') stored;
create index notification_choices_of_alerts on notification_choices (team_id) where wants_alerts;
create index notification_choices_of_team on notification_choices (team_id);

alter table happenings drop constraint happenings_kind_check;
alter table happenings add constraint happenings_kind_check
  check (kind in ('human_requests', 'failed_runs', 'connections', 'deliveries', 'alerts'));

create function alert_is_noted() returns trigger language plpgsql as $$
begin
  insert into happenings (team_id, kind, subject_id)
  select new.team_id, 'alerts', new.id
  where exists (select from notification_choices c where c.team_id = new.team_id and c.wants_alerts);
  return null;
end $$;
create trigger alert_tellings_noted after insert on alert_tellings for each row execute function alert_is_noted();
