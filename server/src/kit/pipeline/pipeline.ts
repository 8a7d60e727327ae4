// What is true of every operation, as a list of stages that a call passes from the credential to the committed answer.
import { report } from '../accessLog.ts'
import { bodyTurnsOf } from '../bodyTurns.ts'
import type { Context } from '../context.ts'
import type { Caller, Credentials } from '../credential.ts'
import { requireOwnAddress } from '../hostCheck.ts'
import { createLine } from '../idempotency.ts'
import { isMutating, type Operation } from '../operation.ts'
import type { Refusals } from '../refusals.ts'
import { answered, type Reply } from '../reply.ts'
import { teamDatabaseOf } from '../teamDatabase.ts'
import { teamTimeOf } from '../teamTime.ts'
import { identify, limit, requireScopeAndTeam } from './admit.ts'
import { carryOut } from './carryOut.ts'
import type { Deps, Exchange, PlainRequest } from './exchange.ts'
import { mutate, replayOrMutate } from './mutate.ts'
import { readBody } from './readRequest.ts'

export interface Pipeline {
  perform(operation: Operation, request: PlainRequest): Promise<Reply>
}

/** How long a request of a team that used more than its share waits for its turn, before it is a 429. */
const patienceMs = 10_000

export function createPipeline(context: Context, credentials: Credentials, refusals: Refusals): Pipeline {
  const deps: Deps = {
    context,
    credentials,
    refusals,
    time: teamTimeOf(context),
    bodyTurns: bodyTurnsOf(context),
    keyLine: createLine(),
    performFor: (caller, operation, request) => performFor(deps, caller, operation, request),
  }
  return {
    async perform(operation, request) {
      const known: Partial<Reply> = {}
      const reply = await answered(() => pass(deps, operation, request, known))
      return {
        ...reply,
        headers: { ...known.headers, ...reply.headers },
        ...(known.caller && { caller: known.caller }),
      }
    },
  }
}

async function performFor(deps: Deps, caller: Caller, operation: Operation, request: PlainRequest): Promise<Reply> {
  const startedAt = performance.now()
  const reply = { ...(await answered(() => proceed(deps, operation, request, caller))), caller }
  report(deps.context, operation, { requestId: request.requestId, startedAt }, reply)
  return reply
}

/** From the request to the known caller. `reply` gets what an answer says even when a later stage refuses. */
async function pass(deps: Deps, operation: Operation, request: PlainRequest, reply: Partial<Reply>): Promise<Reply> {
  const { context, credentials } = deps
  const headers: Record<string, string> = (reply.headers = {})
  const { host, origin } = request.http?.headers ?? {}
  if (operation.protocol) requireOwnAddress(context.baseUrl(), host, origin)
  const caller = (reply.caller = await identify(deps, operation, request))
  if (context.config.rateLimit > 0) await limit(deps, caller, headers)
  credentials.used(caller)
  return proceed(deps, operation, request, caller)
}

/** From the known caller to the reply. */
async function proceed(deps: Deps, operation: Operation, request: PlainRequest, caller: Caller): Promise<Reply> {
  const exchange: Exchange = {
    deps,
    operation,
    request,
    caller,
    bytes: undefined,
    turn: undefined,
    keyed: undefined,
    found: [],
    plain: {},
    hasActed: false,
    mustBeAudited: false,
    db: teamDatabaseOf(deps.context, caller.team_id),
  }
  requireScopeAndTeam(exchange)
  await deps.time.turn(caller.team_id, { caller: caller.credential.id, patienceMs })
  if (!isMutating(operation)) return carryOut(exchange)
  const { bodyBytes = operation.bodyBytesMax } = request
  const owner = { team_id: caller.team_id, sender: caller.credential.id }
  exchange.turn = await deps.bodyTurns.enter(owner, Math.min(bodyBytes, operation.bodyBytesMax))
  try {
    await readBody(exchange)
    const { keyed } = exchange
    return keyed ? await deps.keyLine(keyed, () => replayOrMutate(exchange, keyed)) : await mutate(exchange)
  } finally {
    exchange.turn?.leave()
  }
}
