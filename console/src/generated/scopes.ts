// Written by `npm run openapi` from the scopes of the service. Do not edit.

export const scopes = [
  'team:read',
  'agents:read',
  'agents:write',
  'runs:read',
  'runs:write',
  'approvals:write',
  'queues:read',
  'queues:write',
  'files:read',
  'sandboxes:write',
  'artifacts:read',
  'artifacts:write',
  'connections:read',
  'connections:write',
  'evals:read',
  'evals:write',
  'billing:read',
  'webhooks:manage',
  'mcp:call',
  'keys:manage',
] as const
