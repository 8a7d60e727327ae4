-- owner: features/connections/. Connections to outside services: what they may do for us is sealed, what is known of them is not.
create table connections (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  -- who made it; null: that member has left
  user_id uuid references members (id) on delete set null,
  name text not null,
  type text not null check (type in ('native', 'mcp', 'custom_mcp', 'api')),
  -- a row of the table of providers, the host of an MCP server, or what its maker calls it
  provider text not null,
  server_url text,
  transport text check (transport in ('http', 'sse')),
  auth_method text not null check (auth_method in ('oauth', 'apikey', 'headers', 'none')),
  status text not null default 'active' check (status in ('active', 'action_required', 'disabled')),
  scopes text[],
  -- false: only for runs that its own maker started
  shared boolean not null default true,
  -- sealed: tokens, key or headers, and the secret of a client that was registered for it
  secret bytea,
  -- raised whenever the secret changes: whoever acted with an older one looks again before it complains
  generation int not null default 1,
  -- what a refresh and a revocation need besides secrets: endpoints, client id, resource
  oauth jsonb,
  -- of a broker, which keeps the tokens itself
  broker_connection_id text,
  expires_at timestamptz(3),
  -- when its tokens are renewed next: ahead of their end, or after a day without use
  refresh_at timestamptz(3),
  -- since the last good one, and what the last of them said
  refresh_attempts int not null default 0,
  refresh_problem text,
  renewed_at timestamptz(3),
  -- who renews them now, by the database's clock
  refreshing_until timestamptz(3),
  broken_at timestamptz(3),
  broken_reason text,
  -- what the names of its tools begin with in runs: of the name that it had at first, since procedures and approvals say them
  tools_prefix text,
  -- of its last good list of tools, and when it is asked for the next
  tools_listed_at timestamptz(3),
  list_tools_at timestamptz(3) not null default now() + interval '1 minute',
  -- a person has just made or authorised it: the tools that it lists next count as approved
  approves_next_list boolean not null default true,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index connections_by_team on connections (team_id, created_at desc, id desc);
-- agents name them
create unique index connections_by_name on connections (team_id, name);
-- what a broker keeps belongs to one connection, and so to one team
create unique index connections_by_broker on connections (broker_connection_id) where broker_connection_id is not null;
create index connections_by_user on connections (user_id);
create index connections_due on connections (refresh_at) where refresh_at is not null and status = 'active';
create index connections_to_list on connections (list_tools_at) where type in ('mcp', 'custom_mcp') and status = 'active';

-- An authorisation under way: a browser brings its state back once, within ten minutes.
create table oauth_flows (
  -- of the state: who reads this table cannot finish a flow
  state_hash bytea primary key,
  team_id uuid not null references teams (id) on delete cascade,
  user_id uuid references members (id) on delete cascade,
  -- the credential that began it must still be good when it ends
  credential_kind text not null,
  credential_id uuid not null,
  connection_id uuid references connections (id) on delete cascade,
  kind text not null check (kind in ('native', 'mcp')),
  provider text not null,
  name text,
  server_url text,
  -- endpoints, client id, issuer, resource, scopes, redirect and return address
  facts jsonb not null,
  -- sealed: the verifier of PKCE, and the client's secret where it was registered
  secret bytea not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now()
);
create index oauth_flows_by_team on oauth_flows (team_id);
create index oauth_flows_by_user on oauth_flows (user_id);
create index oauth_flows_by_connection on oauth_flows (connection_id);
create index oauth_flows_expiring on oauth_flows (expires_at);

-- Ourselves as a client of an authorization server, registered once for a team and a redirect address.
create table oauth_registrations (
  team_id uuid not null references teams (id) on delete cascade,
  issuer text not null,
  redirect_uri text not null,
  client_id text not null,
  auth_method text not null,
  -- sealed; null: a public client
  client_secret bytea,
  expires_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (team_id, issuer, redirect_uri)
);

-- The tools of an MCP server as it last listed them, and as a person last approved them.
create table connection_tools (
  connection_id uuid not null references connections (id) on delete cascade,
  name text not null,
  position int not null,
  -- as listed: {title, description, input_schema, annotations}
  listed jsonb not null,
  listed_hash text not null,
  -- as a person approved it, which is what a model is shown; null: never
  approved jsonb,
  approved_hash text,
  -- the server no longer lists it
  is_gone boolean not null default false,
  primary key (connection_id, name)
);

-- Runs that wait until a connection works again. Nobody locks a connection and a run at once: a wait is marked, and its run woken afterwards.
create table connection_waits (
  -- no reference: a run that waits for a connection that was deleted must go on and be told
  connection_id uuid not null,
  run_id uuid not null references runs (id) on delete cascade,
  -- the connection works again, or is gone
  is_over boolean not null default false,
  created_at timestamptz(3) not null default now(),
  primary key (connection_id, run_id)
);
create index connection_waits_by_run on connection_waits (run_id);
create index connection_waits_over on connection_waits (run_id) where is_over;

-- Grants of deleted connections, until they are given back to their provider.
create table revocations (
  -- of the connection that had it
  connection_id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  provider text not null,
  secret bytea not null,
  oauth jsonb not null,
  created_at timestamptz(3) not null default now()
);
create index revocations_by_team on revocations (team_id);
