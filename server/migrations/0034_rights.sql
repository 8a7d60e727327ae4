-- owner: engine/. Whom the turns of a run act for, what an approval is bound to, and the config that a run of a draft keeps.
-- The members whose word the run follows since it began or went on: who started it, who spoke to it since. Right is checked against all of them.
alter table runs add column acts_for uuid[] not null default '{}';

-- A draft can get another config at any time, a run of it cannot: it keeps the one it began with. Builds that are or were live never change.
create table pinned_configs (
  team_id uuid not null references teams (id) on delete cascade,
  -- SHA-256 of the config as jsonb prints it
  hash text not null,
  config jsonb not null,
  -- renewed by every run that begins with it, so that the sweep never takes one that a start is about to name
  used_at timestamptz(3) not null default now(),
  primary key (team_id, hash)
);
-- null: the run follows its build's own config
alter table runs add column config_hash text;
-- a later migration fills both columns of runs, and builds the index for this one

create function builds_keep_their_config() returns trigger language plpgsql as $$
begin
  raise exception 'the config of a build that is or was live cannot change';
end $$;
create trigger builds_keep_config before update of config on builds
  for each row when (old.status <> 'draft' and new.config is distinct from old.config) execute function builds_keep_their_config();

-- Who wrote the config as it is: a run that starts without a person follows this member too.
alter table builds add column config_by uuid;
update builds set config_by = created_by;

-- Who said last what they do: their runs act for this member.
alter table schedules add column changed_by uuid;
update schedules set changed_by = user_id;
alter table case_triggers add column changed_by uuid;
update case_triggers set changed_by = user_id;

-- What the call touches besides its arguments, as it was when a person was asked: its connection, and its tool as the server lists it.
alter table human_requests add column bound jsonb;

alter table connections
  -- raised when a person gives it another credential or address: an approval from before does not count for it
  add column given int not null default 1,
  -- who asks for its first list of tools now, by the database's clock; after a failure nobody asks again before
  add column listing_until timestamptz(3),
  -- what the last failure to list its tools said
  add column list_problem text;
