-- owner: features/teamFiles/. URLs to upload team files to: one successful PUT each. While bytes arrive the row is claimed, and the claim renewed.
-- Older code: works.

create table team_file_uploads (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  expires_at timestamptz(3) not null,
  claim uuid,
  claimed_until timestamptz(3),
  spent_at timestamptz(3)
);
create index team_file_uploads_by_team on team_file_uploads (team_id, expires_at);
