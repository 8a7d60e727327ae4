// The scopes that a new key or OAuth client may get, the usual ones first.
import type { ApiKey } from '@runyard/sdk'
import { scopes } from '../../generated/scopes.ts'

export type Scope = ApiKey['scopes'][number]

/** Enough for a program that starts runs and reads what came of them. */
export const usualScopes: Scope[] = ['team:read', 'agents:read', 'runs:read', 'runs:write', 'files:read']

/** What an assistant needs besides: it calls the API as tools. */
export const assistantScopes: Scope[] = [...usualScopes, 'queues:read', 'mcp:call']

export const offeredScopes: Scope[] = [...usualScopes, ...scopes.filter((scope) => !usualScopes.includes(scope))]
