-- owner: features/skills/. Skills: folders with a SKILL.md that runs read when they need them. Every change makes a version.
create table skills (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  -- who made it; null: that member has left
  user_id uuid references members (id) on delete set null,
  -- both as SKILL.md of the newest version says
  name text not null,
  description text not null,
  version int not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index skills_by_team on skills (team_id, created_at desc, id desc);
create unique index skills_by_name on skills (team_id, name);
create index skills_by_user on skills (user_id);

create table skill_versions (
  skill_id uuid not null references skills (id) on delete cascade,
  version int not null,
  team_id uuid not null references teams (id) on delete cascade,
  user_id uuid references members (id) on delete set null,
  description text not null,
  files int not null,
  size_bytes bigint not null,
  created_at timestamptz(3) not null default now(),
  primary key (skill_id, version)
);
create index skill_versions_by_team on skill_versions (team_id);
create index skill_versions_by_user on skill_versions (user_id);

create table skill_files (
  skill_id uuid not null,
  version int not null,
  team_id uuid not null references teams (id) on delete cascade,
  path text collate "C" not null,
  sha256 bytea not null references blobs (sha256),
  size_bytes bigint not null,
  is_executable boolean not null,
  primary key (skill_id, version, path),
  foreign key (skill_id, version) references skill_versions (skill_id, version) on delete cascade
);
create index skill_files_by_team on skill_files (team_id);
create index skill_files_by_blob on skill_files (sha256);

-- Versions count as stored, each with all of its files.
create function skill_version_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes
  values (coalesce(new.team_id, old.team_id), coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0));
  return null;
end $$;
create trigger skill_versions_stored after insert or delete on skill_versions
  for each row execute function skill_version_is_stored();
