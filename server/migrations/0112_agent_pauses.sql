-- owner: features/agents/. An agent can be paused, by a person or by a rule of alerts: then no run of its live build starts.
-- Older code: works.

alter table agents
  add column paused_at timestamptz(3),
  -- the member who did it; null: a rule did
  add column paused_by uuid,
  add column paused_reason text,
  -- the incident whose rule did it
  add column paused_by_incident_id uuid;
