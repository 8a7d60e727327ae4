// The stages that read a request: its body when its turn comes, then query and body as the operation declares them.
import { Fault } from '../../base/errors.ts'
import { takeStepsInTurns, type Steps } from '../../base/steps.ts'
import * as idempotency from '../idempotency.ts'
import { readObject } from '../json.ts'
import { refuseFor } from '../problems.ts'
import { readFields, readQuery } from '../validate.ts'
import { takesJson, type Exchange } from './exchange.ts'

export async function readBody(exchange: Exchange): Promise<void> {
  const { deps, operation, request, caller } = exchange
  const { idempotencyKey: key } = request
  if (key !== undefined) idempotency.requireSaneKey(key)
  exchange.bytes = await request.readBody(operation.bodyBytesMax)
  if (key === undefined) return
  const steps = idempotency.hashRequest(caller, { method: operation.method, url: request.url, body: exchange.bytes })
  const requestHash = await takeStepsInTurns(steps, (ms) => deps.time.usedThread(caller.team_id, ms))
  exchange.keyed = { teamId: caller.team_id, key, requestHash }
}

/** Reads query and body as the operation declares them, or refuses them with everything that is wrong with both. */
export function* readRequest({
  operation,
  request,
  bytes,
}: Exchange): Steps<Record<'query' | 'body', Record<string, unknown>>> {
  const problems: string[] = []
  const query = readQuery(operation.query, request.search, problems)
  const sent = takesJson(operation) ? yield* collecting(problems, readObject(bytes)) : undefined
  const body = sent && readFields(operation.body, sent, problems)
  refuseFor(problems)
  return { query, body: body ?? {} }
}

/** Undefined when it was refused; the problems then say why. */
function* collecting<T>(problems: string[], steps: Steps<T>): Steps<T | undefined> {
  try {
    return yield* steps
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'invalid_request') throw error
    problems.push(error.message)
    return undefined
  }
}

/** Reads a body when its turn comes, and charges the time. A second round of the same request has no turn any more, and does not wait. */
export async function inTurn<T>(exchange: Exchange, steps: Steps<T>): Promise<T> {
  const { turn } = exchange
  await turn?.toParse()
  try {
    return await takeStepsInTurns(steps, (ms) => turn?.parsed(ms))
  } finally {
    turn?.leave()
    exchange.turn = undefined
  }
}
