-- owner: features/teamFiles/. Files that a team keeps for its agents: laid read-only into the sandboxes of builds that name them.
create table team_files (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  -- who uploaded it last; null: that member has left
  user_id uuid references members (id) on delete set null,
  -- a relative path, in one spelling
  name text collate "C" not null,
  sha256 bytea not null references blobs (sha256),
  size_bytes bigint not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index team_files_by_name on team_files (team_id, name);
create index team_files_by_user on team_files (user_id);
create index team_files_by_blob on team_files (sha256);

-- They count as stored.
create function team_file_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes
  values (coalesce(new.team_id, old.team_id), coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0));
  return null;
end $$;
create trigger team_files_stored_new after insert on team_files
  for each row when (new.size_bytes <> 0) execute function team_file_is_stored();
create trigger team_files_stored_changed after update of size_bytes on team_files
  for each row when (old.size_bytes <> new.size_bytes) execute function team_file_is_stored();
create trigger team_files_stored_gone after delete on team_files
  for each row when (old.size_bytes <> 0) execute function team_file_is_stored();
