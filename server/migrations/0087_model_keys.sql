-- owner: features/models/. What a team brings and decides about models: its own keys of providers, which models it allows, its default.
create table model_keys (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade,
  provider text not null check (provider in ('anthropic', 'openai', 'google', 'openai-compatible')),
  -- sealed
  secret bytea not null,
  -- its last characters, to tell keys apart
  hint text not null,
  -- the team's own server, for an OpenAI-compatible one
  base_url text,
  -- who brought it; null: that member has left
  created_by uuid references members (id) on delete set null,
  -- when the provider was last asked whether it takes the key, and why it did not
  tested_at timestamptz(3) not null default now(),
  problem text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
-- one for each provider: which of two would be asked?
create unique index model_keys_by_team on model_keys (team_id, provider);
create index model_keys_by_member on model_keys (created_by);

create table model_settings (
  team_id uuid primary key references teams (id) on delete cascade,
  -- null: every model
  allowed_models text[],
  -- null: the server's
  default_model text,
  updated_at timestamptz(3) not null default now()
);
