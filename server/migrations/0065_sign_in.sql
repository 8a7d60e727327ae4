-- owner: features/signIn/. Sessions of members, links that sign in once, and sign-ins with OpenID Connect under way; secrets only as SHA-256.
create table sessions (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  member_id uuid not null references members (id) on delete cascade,
  secret_hash bytea not null unique,
  came_by text not null check (came_by in ('link', 'api_key', 'oidc', 'invitation')),
  -- what was granted, before the role cuts it: '*', or the scopes of the API key that it stands on
  scopes text[] not null,
  -- the session ends with this API key; null: it stands on none
  key_id uuid references api_keys (id) on delete cascade,
  user_agent text not null,
  address text not null,
  created_at timestamptz(3) not null default now(),
  -- the end that no use can move. Before it, a session ends 12 hours after its last use (credential_uses)
  until timestamptz(3) not null,
  revoked_at timestamptz(3)
);
create index sessions_by_team on sessions (team_id, id);
create index sessions_by_member on sessions (member_id, id);
create index sessions_by_key on sessions (key_id) where key_id is not null;

create table sign_in_links (
  secret_hash bytea primary key,
  id uuid not null unique,
  team_id uuid not null references teams (id) on delete cascade,
  member_id uuid not null references members (id) on delete cascade,
  came_by text not null check (came_by in ('link', 'invitation')),
  scopes text[] not null,
  key_id uuid references api_keys (id) on delete cascade,
  -- the latest end of the session that it opens; null: seven days after it is opened
  session_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index sign_in_links_by_expiry on sign_in_links (expires_at);
create index sign_in_links_by_team on sign_in_links (team_id);
create index sign_in_links_by_member on sign_in_links (member_id, id);
create index sign_in_links_by_key on sign_in_links (key_id) where key_id is not null;

create table oidc_sign_ins (
  state_hash bytea primary key,
  -- the browser that began it has the other half in a cookie
  browser_hash bytea not null,
  -- sealed: nonce and PKCE verifier
  secret bytea not null,
  return_to text not null,
  expires_at timestamptz(3) not null
);
create index oidc_sign_ins_by_expiry on oidc_sign_ins (expires_at);
