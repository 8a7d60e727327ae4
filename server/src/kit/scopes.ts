// Scopes, and how far a member's role lets their credentials go.

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
  'system:read',
  'secrets:write',
  'system:write',
] as const

export type Scope = (typeof scopes)[number]
/** What a credential may carry: single scopes, or `*` for all there are and will be. */
export const grantableScopes = [...scopes, '*'] as const

export const roles = ['admin', 'operator', 'viewer'] as const
export type Role = (typeof roles)[number]

const forAdminsOnly = new Set<Scope>([
  'keys:manage',
  'webhooks:manage',
  'connections:write',
  'system:read',
  'system:write',
])

/**
 * An operator may do everything except give access to others, connect the team to outside services, and look at the whole installation. A
 * viewer may only read what is the team's.
 */
const roleScopes: Record<Role, readonly Scope[]> = {
  admin: scopes,
  operator: scopes.filter((scope) => !forAdminsOnly.has(scope)),
  viewer: scopes.filter((scope) => (scope.endsWith(':read') && !forAdminsOnly.has(scope)) || scope === 'mcp:call'),
}

/** The scopes that a grant gives to a member: `*` becomes all scopes, and the member's role limits them. */
export function effectiveScopes(granted: readonly string[], role: Role): Set<Scope> {
  const all = granted.includes('*')
  return new Set(roleScopes[role].filter((scope) => all || granted.includes(scope)))
}

/** `*` may be handed on only by someone who holds every scope. */
export function scopesBeyond(wanted: readonly string[], held: ReadonlySet<Scope>): string[] {
  return wanted.filter((scope) => (scope === '*' ? held.size < scopes.length : !held.has(scope as Scope)))
}

/** The scopes of a role that are not among those that somebody holds. */
export const scopesLacked = (role: Role, held: ReadonlySet<Scope>): Scope[] =>
  [...effectiveScopes(['*'], role)].filter((scope) => !held.has(scope))
