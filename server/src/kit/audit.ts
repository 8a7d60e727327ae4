// The audit log: one row for every answered mutation, written in the transaction of the change, never changed afterwards.
import type { Sql } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import type { Keyed } from './idempotency.ts'

export interface AuditEntry {
  teamId: string
  memberId: string | null
  credential: { type: 'api_key' | 'oauth_client' | 'command_line'; id: string | null }
  /** An operation id, or the words of a command. */
  operation: string
  target: Target
  requestId: string
  status: number
  error: string | null
}

export interface Target {
  type: string | null
  id: string | null
}

/** Writes the audit row and, for a keyed request, its reply: one statement, since both belong to every mutation. */
export async function recordOutcome(
  sql: Sql,
  entry: AuditEntry,
  stored?: { keyed: Keyed; reply: Buffer | null },
): Promise<void> {
  await sql`
    with stored as (
      update idempotency_keys set status = ${entry.status}, reply = ${stored?.reply ?? null}, claimed_until = null,
        expires_at = now() + interval '24 hours'
      where team_id = ${entry.teamId} and key = ${stored?.keyed.key ?? null}
    )
    insert into audit_log (id, team_id, member_id, credential_type, credential_id, operation, target_type, target_id,
      request_id, status, error)
    values (${newId()}, ${entry.teamId}, ${entry.memberId}, ${entry.credential.type}, ${entry.credential.id},
      ${entry.operation}, ${entry.target.type}, ${entry.target.id}, ${entry.requestId}, ${entry.status}, ${entry.error})`
}

/** What was done at the command line, by whoever may log in to the machine. */
export function recordCommand(sql: Sql, teamId: string, command: string, target: Target): Promise<void> {
  return recordOutcome(sql, {
    teamId,
    memberId: null,
    credential: { type: 'command_line', id: null },
    operation: command,
    target,
    requestId: newId(),
    status: 200,
    error: null,
  })
}

/** What a mutation was about: the last record in its path, else the record that the answer names beside itself. */
export function targetOf(path: { noun: string; id: string }[], answer: unknown): Target {
  const last = path.at(-1)
  if (last) return { type: last.noun, id: last.id }
  if (typeof answer === 'object' && answer !== null) {
    for (const [field, value] of Object.entries(answer)) {
      if (field.endsWith('_id') && field !== 'team_id' && typeof value === 'string') {
        return { type: field.slice(0, -3), id: value }
      }
    }
  }
  return { type: null, id: null }
}
