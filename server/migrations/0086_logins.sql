-- owner: features/secrets/. Logins for web pages: the password and the seed of one-time codes are sealed.
create table logins (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  -- who made it; null: that member has left
  user_id uuid references members (id) on delete set null,
  -- a host, with its port where that is not the usual one, or *. and a host for all below it
  domain text not null,
  username text not null,
  -- false: only for runs that act for its maker alone
  shared boolean not null default true,
  has_otp boolean not null,
  -- password and seed as one sealed JSON object
  sealed bytea not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index logins_by_team on logins (team_id, created_at desc, id desc);
create unique index logins_by_name on logins (team_id, domain, username);
create index logins_by_user on logins (user_id);
