-- owner: features/credentials/. API keys, OAuth clients and their access tokens; every secret only as its SHA-256.
create table api_keys (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  member_id uuid not null references members (id) on delete cascade,
  name text not null,
  hint text not null,
  secret_hash bytea not null unique,
  scopes text[] not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index api_keys_by_team on api_keys (team_id, id) where revoked_at is null;
create index api_keys_by_member on api_keys (member_id);

create table oauth_clients (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  member_id uuid not null references members (id) on delete cascade,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  created_at timestamptz(3) not null default now()
);
create index oauth_clients_by_team on oauth_clients (team_id, id);
create index oauth_clients_by_member on oauth_clients (member_id);

create table access_tokens (
  secret_hash bytea primary key,
  client_id uuid not null references oauth_clients (id) on delete cascade,
  scopes text[] not null,
  expires_at timestamptz(3) not null
);
create index access_tokens_by_client on access_tokens (client_id);
create index access_tokens_by_expiry on access_tokens (expires_at);
