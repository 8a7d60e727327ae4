// The audit log: one row for every answered mutation, written in the transaction of the change, never changed afterwards.
import type { Sql } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import type { Caller } from './credential.ts'
import type { Keyed } from './idempotency.ts'

export interface AuditEntry {
  caller: Caller
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
  stored?: { keyed: Keyed; status: number; reply: Buffer | null },
): Promise<void> {
  const { caller, target } = entry
  if (!stored) {
    await sql`
      insert into audit_log (id, team_id, member_id, credential_type, credential_id, operation, target_type, target_id,
        request_id, status, error)
      values (${newId()}, ${caller.team_id}, ${caller.member_id}, ${caller.credential.type}, ${caller.credential.id},
        ${entry.operation}, ${target.type}, ${target.id}, ${entry.requestId}, ${entry.status}, ${entry.error})`
    return
  }
  const { keyed, status, reply } = stored
  await sql`
    with stored as (
      update idempotency_keys set status = ${status}, reply = ${reply}, claimed_until = null,
        expires_at = now() + interval '24 hours'
      where team_id = ${keyed.teamId} and key = ${keyed.key}
    )
    insert into audit_log (id, team_id, member_id, credential_type, credential_id, operation, target_type, target_id,
      request_id, status, error)
    values (${newId()}, ${caller.team_id}, ${caller.member_id}, ${caller.credential.type}, ${caller.credential.id},
      ${entry.operation}, ${target.type}, ${target.id}, ${entry.requestId}, ${entry.status}, ${entry.error})`
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
