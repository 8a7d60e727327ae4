// The stage that writes down what a call did: its audit row, and its reply for a repeat with the same key.
import { lockNotAvailable, sqlState, type Sql } from '../../base/db.ts'
import type { Fault } from '../../base/errors.ts'
import { recordOutcome, recordOutcomeAndReply, targetOf, type AuditEntry } from '../audit.ts'
import * as idempotency from '../idempotency.ts'
import { replyOfFault, type Reply } from '../reply.ts'
import { KeyTaken, type Exchange } from './exchange.ts'

export async function record(
  sql: Sql,
  exchange: Exchange,
  reply: Reply,
  answer: unknown,
  error?: Fault,
): Promise<void> {
  const { deps, operation, keyed, mustBeAudited } = exchange
  const { keyring } = deps.context
  // what a message did is in the audit rows of the operations that it asked for
  if (operation.protocol) return keyed && idempotency.finishClaim(sql, keyring, keyed, reply)
  const entry = entryOf(exchange, reply.status, answer, error)
  const isAudited = !operation.onlyReads && (error === undefined || mustBeAudited || deps.refusals.isWritten(entry))
  if (!keyed) return isAudited ? recordOutcome(sql, entry) : undefined
  const stored = {
    keyed,
    reply: idempotency.sealReply(keyring, reply.body),
    isClaimed: operation.actsOutside,
    isAudited,
  }
  try {
    if (!(await recordOutcomeAndReply(sql, entry, stored))) throw new KeyTaken()
  } catch (failed) {
    throw sqlState(failed) === lockNotAvailable ? idempotency.inUse() : failed
  }
}

/** A refusal changed nothing, so it needs no transaction with the effect: key, reply and audit row are one of their own. */
export async function recordRefusal(exchange: Exchange, fault: Fault): Promise<Reply> {
  const reply = replyOfFault(fault)
  if (exchange.operation.onlyReads && !exchange.keyed) return reply
  await exchange.db.transaction((sql) => record(sql, exchange, reply, undefined, fault))
  return reply
}

export function entryOf(exchange: Exchange, status: number, answer: unknown, error?: Fault): AuditEntry {
  const { operation, request, caller, found } = exchange
  return {
    teamId: caller.team_id,
    memberId: caller.member_id,
    credential: caller.credential,
    operation: operation.id,
    target: targetOf(found, answer),
    forMemberId: (answer !== undefined && operation.holder?.(answer as never)) || null,
    requestId: request.requestId,
    status,
    error: error?.code ?? null,
  }
}
