-- owner: features/notifications/. What members want to be told, what there is to tell, and the mails that tell it.
create table notification_choices (
  member_id uuid primary key references members (id) on delete cascade,
  team_id uuid not null references teams (id) on delete cascade,
  -- by kind: at_once, digest or off
  mail jsonb not null,
  -- by kind: whether browsers tell it
  browser jsonb not null,
  -- minutes of the day in this zone
  time_zone text not null,
  digest_minute int not null check (digest_minute between 0 and 1439),
  quiet_from int check (quiet_from between 0 and 1439),
  quiet_until int check (quiet_until between 0 and 1439),
  wants_mail boolean not null generated always as (
    mail ->> 'human_requests' <> 'off' or mail ->> 'failed_runs' <> 'off'
    or mail ->> 'connections' <> 'off' or mail ->> 'deliveries' <> 'off') stored,
  -- when the last mail of news was made: the next one waits a while, and tells of more
  mailed_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  check ((quiet_from is null) = (quiet_until is null))
);
create index notification_choices_by_team on notification_choices (team_id) where wants_mail;

-- What happened, written with what happened by the triggers below; read by a worker, which knows whom to tell.
create table happenings (
  id bigint generated always as identity primary key,
  team_id uuid not null,
  kind text not null check (kind in ('human_requests', 'failed_runs', 'connections', 'deliveries')),
  -- the request, run, connection or subscription
  subject_id uuid not null,
  created_at timestamptz(3) not null default now()
) with (autovacuum_vacuum_scale_factor = 0.05);
create index happenings_by_team on happenings (team_id, id);

-- One thing that one member is to be told.
create table notices (
  id bigint generated always as identity primary key,
  team_id uuid not null,
  member_id uuid not null references members (id) on delete cascade,
  kind text not null,
  subject_id uuid not null,
  created_at timestamptz(3) not null default now(),
  -- null: it is in a mail
  due_at timestamptz(3),
  mail_id uuid,
  -- the mail that may have told it already: its process died, or lost its connection, while the mail server had the last word
  doubted_mail_id uuid
) with (autovacuum_vacuum_scale_factor = 0.05);
-- a request is told to a member once, whoever is assigned to it in between
create unique index notices_request_once on notices (member_id, subject_id) where kind = 'human_requests';
create index notices_due on notices (due_at, member_id) where due_at is not null;
create index notices_by_member on notices (member_id, due_at) where due_at is not null;
create index notices_by_mail on notices (mail_id) where mail_id is not null;
create index notices_by_subject on notices (member_id, subject_id, created_at);
create index notices_by_age on notices (created_at);

-- The outbox. due: to be sent. sending: a process talks to the mail server, and the mail cannot have been accepted. ending: the end of the
-- mail may have been sent. sent: the server took it. in_doubt: nobody knows. failed: given up. dropped: there was nothing to tell any more.
create table mails (
  id uuid primary key,
  team_id uuid not null,
  member_id uuid not null references members (id) on delete cascade,
  purpose text not null check (purpose in ('news', 'test', 'confirmation')),
  address text not null,
  state text not null default 'due' check (state in ('due', 'sending', 'ending', 'sent', 'in_doubt', 'failed', 'dropped')),
  due_at timestamptz(3) not null default now(),
  attempts int not null default 0,
  -- the process that has it (processes.id), and until when, by the database's clock
  worker uuid,
  held_until timestamptz(3),
  problem text,
  created_at timestamptz(3) not null default now(),
  settled_at timestamptz(3)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index mails_due on mails (team_id, due_at) where state = 'due';
create index mails_held on mails (held_until) where state in ('sending', 'ending');
create index mails_by_worker on mails (worker) where state in ('sending', 'ending');
create index mails_by_member on mails (member_id, created_at desc, id desc);
create index mails_by_team on mails (team_id, created_at);
create index mails_by_address on mails (lower(address), created_at) where purpose = 'confirmation';
create index mails_by_age on mails (created_at);

-- A team in which nobody wants mails pays one look into an index, and only for these few kinds of changes.
create function happening_is_noted() returns trigger language plpgsql as $$
begin
  insert into happenings (team_id, kind, subject_id)
  select new.team_id, tg_argv[0], new.id
  where exists (select from notification_choices c where c.team_id = new.team_id and c.wants_mail);
  return null;
end $$;

create trigger human_requests_noted after insert on human_requests for each row
  when (new.status = 'pending') execute function happening_is_noted('human_requests');
create trigger human_requests_assigned_noted after update of assignee_user_id on human_requests for each row
  when (new.status = 'pending' and new.assignee_user_id is not null and new.assignee_user_id is distinct from old.assignee_user_id)
  execute function happening_is_noted('human_requests');
-- a run that another one started fails in that one's hands
create trigger runs_failed_noted after update of status on runs for each row
  when (new.status = 'failed' and old.status is distinct from new.status and new.depth = 0)
  execute function happening_is_noted('failed_runs');
create trigger connections_broken_noted after update of status on connections for each row
  when (new.status = 'action_required' and old.status is distinct from new.status)
  execute function happening_is_noted('connections');
-- five failures in a row: from then on only one attempt is made at a time
create trigger delivery_targets_failing_noted after update of failures, disabled_at on delivery_targets for each row
  when (new.kind = 'subscription' and new.deleted_at is null
    and ((new.failures >= 5 and old.failures < 5) or (new.disabled_at is not null and old.disabled_at is null)))
  execute function happening_is_noted('deliveries');
