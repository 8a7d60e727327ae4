// The audit log: one row for every answered mutation, written in the transaction of the change; what is committed piece by piece has one for
// each piece too. Rows never change; old ones are erased.
import { part, type Part, type Sql } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import type { CredentialType } from './credential.ts'
import type { Keyed } from './idempotency.ts'

export interface AuditEntry {
  teamId: string
  memberId: string | null
  /** The member it was done for, if that can be somebody else. */
  forMemberId?: string | null
  credential: { type: CredentialType | 'command_line' | 'run' | 'service'; id: string | null }
  /** An operation id, the words of a command, or what a run did. */
  operation: string
  target: Target
  requestId: string
  status: number
  error: string | null
}

interface Target {
  type: string | null
  id: string | null
}

const auditColumns = part`
  id, team_id, member_id, credential_type, credential_id, operation, target_type, target_id, request_id, status, error, for_member_id`

const auditValues = (entry: AuditEntry) => part`
  ${newId()}::uuid, ${entry.teamId}::uuid, ${entry.memberId}::uuid, ${entry.credential.type}::text, ${entry.credential.id}::uuid,
  ${entry.operation}::text, ${entry.target.type}::text, ${entry.target.id}::text, ${entry.requestId}::text,
  ${entry.status}::smallint, ${entry.error}::text, ${entry.forMemberId ?? null}::uuid`

export type AuditColumns = ReturnType<typeof auditColumnsOf>

/** An entry as columns of a larger statement's input; `insertAuditRows` takes them from there. */
export const auditColumnsOf = (entry: AuditEntry) => ({
  audit_id: newId(),
  audit_team_id: entry.teamId,
  audit_member_id: entry.memberId,
  audit_credential_type: entry.credential.type,
  audit_credential_id: entry.credential.id,
  audit_operation: entry.operation,
  audit_target_type: entry.target.type,
  audit_target_id: entry.target.id,
  audit_request_id: entry.requestId,
  audit_status: entry.status,
  audit_error: entry.error,
  audit_for_member_id: entry.forMemberId ?? null,
})

export const auditColumnTypes = part`
  audit_id uuid, audit_team_id uuid, audit_member_id uuid, audit_credential_type text, audit_credential_id uuid, audit_operation text,
  audit_target_type text, audit_target_id text, audit_request_id text, audit_status smallint, audit_error text,
  audit_for_member_id uuid`

/** `from` names rows with the columns above. */
export const insertAuditRows = (from: Part): Part => part`
  insert into audit_log (${auditColumns})
  select audit_id, audit_team_id, audit_member_id, audit_credential_type, audit_credential_id, audit_operation,
    audit_target_type, audit_target_id, audit_request_id, audit_status, audit_error, audit_for_member_id
  from ${from}`

export async function recordOutcome(sql: Sql, entry: AuditEntry): Promise<void> {
  await sql`insert into audit_log (${auditColumns}) values (${auditValues(entry)})`
}

interface StoredReply {
  keyed: Keyed
  /** Sealed; null for an answer without a body. */
  reply: Buffer | null
  /** The key is held by a committed claim of this very request. */
  isClaimed: boolean
  /** False for a refusal that is counted in another row (refusals.ts). */
  isAudited: boolean
}

/**
 * The key, its reply and the audit row in one statement at the end of the transaction: taking the key first would cost a
 * round trip and a second version of the row. False: another request has the key, and the transaction must be undone.
 * While that other one's transaction is open the insert waits for its end, at most for the connection's lock_timeout.
 * A key that was not committed is free, so a process that is killed leaves nothing behind.
 */
export async function recordOutcomeAndReply(sql: Sql, entry: AuditEntry, stored: StoredReply): Promise<boolean> {
  const { keyed, reply, isClaimed, isAudited } = stored
  const rows = await sql`
    with stored as (
      insert into idempotency_keys as k (team_id, key, request_hash, status, reply, expires_at)
      values (${keyed.teamId}, ${keyed.key}, ${keyed.requestHash}, ${entry.status}, ${reply}, now() + interval '24 hours')
      on conflict (team_id, key) do update set request_hash = excluded.request_hash, status = excluded.status,
        reply = excluded.reply, claimed_until = null, expires_at = excluded.expires_at
      where k.expires_at <= now()
        or (k.status is null and (k.claimed_until <= now() or (${isClaimed}::boolean and k.request_hash = excluded.request_hash)))
      returning key
    )
    , audited as (
      insert into audit_log (${auditColumns}) select ${auditValues(entry)} from stored where ${isAudited}::boolean
    )
    select key from stored`
  return rows.length > 0
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

/** What the service did by itself; `because` is the id of the record that made it do so. */
function recordOwn(
  sql: Sql,
  { teamId, operation, target, because }: { teamId: string; operation: string; target: Target; because: string | null },
): Promise<void> {
  return recordOutcome(sql, {
    teamId,
    memberId: null,
    credential: { type: 'service', id: because },
    operation,
    target,
    requestId: newId(),
    status: 200,
    error: null,
  })
}

/** The service has signed how the logs of runs were when they ended: `hash` is that of the text that was signed for a team. */
export async function recordSignatures(sql: Sql, signed: { teamId: string; hash: string }[]): Promise<void> {
  const rows = signed.map(({ teamId, hash }) =>
    auditColumnsOf({
      teamId,
      memberId: null,
      credential: { type: 'service', id: null },
      operation: 'sign evidence',
      target: { type: 'evidence_signature', id: hash },
      requestId: newId(),
      status: 200,
      error: null,
    }),
  )
  await sql`${insertAuditRows(part`json_to_recordset(${JSON.stringify(rows)}::json) as signed (${auditColumnTypes})`)}`
}

/** A rule of alerts paused an agent, under the name of the operation with which people do that. */
export const recordPause = (
  sql: Sql,
  { teamId, agentId, incidentId }: { teamId: string; agentId: string; incidentId: string },
): Promise<void> =>
  recordOwn(sql, { teamId, operation: 'pauseAgent', target: { type: 'agent', id: agentId }, because: incidentId })

/** What a run used that is not for everybody: the member is the one for whom it began. */
export function recordUse(
  sql: Sql,
  { id, team_id, user_id }: { id: string; team_id: string; user_id: string | null },
  operation: string,
  target: Target,
): Promise<void> {
  return recordOutcome(sql, {
    teamId: team_id,
    memberId: user_id,
    credential: { type: 'run', id },
    operation,
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
