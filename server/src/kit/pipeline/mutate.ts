// The stages around a call that changes something: a repeat gets the stored reply, and a refusal is written down too.
import { lockNotAvailable, sqlState, untilWritten } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import * as idempotency from '../idempotency.ts'
import { whileLeased } from '../lease.ts'
import { faultOf, wantsOtherCredential, type Reply } from '../reply.ts'
import { identifyAgain } from './admit.ts'
import { carryOut, finishMaxMs } from './carryOut.ts'
import { KeyTaken, type Exchange } from './exchange.ts'
import { recordRefusal } from './record.ts'

export async function mutate(exchange: Exchange): Promise<Reply> {
  try {
    return await carryOut(exchange)
  } catch (error) {
    const fault = faultOf(error)
    if (fault && isOutcome(fault, error)) return recordRefusal(exchange, fault)
    // the reply of whoever has the key has an audit row
    if (exchange.mustBeAudited && !(error instanceof KeyTaken)) await auditFailure(exchange, fault)
    throw error
  }
}

/**
 * Whether the refusal is stored as the answer to this request. It is not if the mistake is ours, if a key, a record or a pool is busy, or if the
 * caller is no longer let in: the next try may succeed.
 */
function isOutcome(fault: Fault, error: unknown): boolean {
  const isBusy =
    fault.code === 'idempotency_key_in_use' || fault.code === 'rate_limited' || sqlState(error) === lockNotAvailable
  return fault.status < 500 && !isBusy && !wantsOtherCredential(fault)
}

/** Something was done and is not undone, so the call has a row. Its error is what the caller gets, also if the row cannot be written. */
async function auditFailure(exchange: Exchange, fault = new Fault('internal_error')): Promise<void> {
  const write = () => recordRefusal({ ...exchange, keyed: undefined }, fault)
  await untilWritten(write, AbortSignal.timeout(finishMaxMs)).catch((error: unknown) =>
    exchange.deps.context.log.error(
      { err: error, operation: exchange.operation.id },
      'a call that acted has no audit row',
    ),
  )
}

/** Operations that act outside hold a committed claim while they do, so that a second request cannot act again. */
async function mutateOutside(exchange: Exchange, keyed: idempotency.Keyed): Promise<Reply> {
  const { db, log } = exchange.deps.context
  if (!(await idempotency.claimCommitted(exchange.db.sql, keyed))) throw new KeyTaken()
  const lease = {
    name: 'an idempotency claim',
    log,
    everyMs: idempotency.claimRenewalMs,
    renew: () => idempotency.renewClaim(db.sql, keyed),
    release: () => idempotency.dropClaim(db.sql, keyed),
  }
  return whileLeased(lease, () => mutate(exchange))
}

export async function replayOrMutate(exchange: Exchange, keyed: idempotency.Keyed): Promise<Reply> {
  const { keyring } = exchange.deps.context
  // one more round when the key was taken between the first read and the end: then its reply, or who holds it, is there
  for (let round = 0; ; round++) {
    const stored = await idempotency.findReply(exchange.db.sql, keyring, keyed)
    if (stored) {
      await identifyAgain(exchange)
      return { ...stored, headers: { 'idempotency-replayed': 'true' } }
    }
    try {
      exchange.found.length = 0
      return exchange.operation.actsOutside ? await mutateOutside(exchange, keyed) : await mutate(exchange)
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error
      if (round > 0) throw idempotency.inUse()
    }
  }
}
