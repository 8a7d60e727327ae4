// What is true of every operation, as a list of stages that a call passes from the credential to the committed answer.
import type { IncomingHttpHeaders } from 'node:http'
import type { Sql } from '../base/db.ts'
import { lockNotAvailable, retryingDeadlocks, sqlState } from '../base/db.ts'
import { Fault } from '../base/errors.ts'
import { isId } from '../base/ids.ts'
import { takeSteps, takeStepsInTurns, type Steps } from '../base/steps.ts'
import { auditColumnsOf, recordOutcome, recordOutcomeAndReply, targetOf, type AuditEntry } from './audit.ts'
import { createBodyTurns, type BodyTurn } from './bodyTurns.ts'
import type { Context } from './context.ts'
import { bearerToken, unauthorized, type Caller, type Credentials } from './credential.ts'
import { emitEvent } from './event.ts'
import { eventFeedOf } from './eventFeed.ts'
import * as idempotency from './idempotency.ts'
import { enqueueOn } from './job.ts'
import { readJson, readObject } from './json.ts'
import { isMutating, keyTaken, type Operation, type StoredRows, type Via } from './operation.ts'
import { requireOwnAddress } from './hostCheck.ts'
import { openStreamsOf } from './openStreams.ts'
import { replyOfSaid, requestOf, type Asked } from './protocol.ts'
import { refuseFor } from './problems.ts'
import { refuseIfOver } from './rateLimit.ts'
import type { Refusals } from './refusals.ts'
import { answered, faultOf, replyOf, replyOfFault, writeAnswer, type Reply } from './reply.ts'
import { report } from './accessLog.ts'
import { nounOf } from './resources.ts'
import type { Source } from './stream.ts'
import { countStranger } from './strangers.ts'
import { teamDatabaseOf, type TeamDatabase } from './teamDatabase.ts'
import { teamTimeOf } from './teamTime.ts'
import { readFields, readQuery } from './validate.ts'
import { registryOf } from './registry.ts'

/** A request as any transport brings it: HTTP, or a message of another protocol. */
interface PlainRequest {
  requestId: string
  authorization: string | undefined
  idempotencyKey: string | undefined
  /** Of the peer: what counts when there is no valid credential. */
  address: () => string
  /** Path with query, as sent. */
  url: string
  search: string
  params: Record<string, string>
  contentType?: string | undefined
  /** Where the reader of a stream wants to go on. */
  lastEventId?: string | undefined
  via?: Via
  /** For what speaks a protocol of its own. */
  http?: { headers: IncomingHttpHeaders; signal: AbortSignal }
  /** The size of the body; undefined when it is not announced. */
  bodyBytes: number | undefined
  /** Reads the body, refusing what is larger than the operation takes. */
  readBody(bytesMax: number): Promise<Uint8Array | undefined>
}

export interface Pipeline {
  perform(operation: Operation, request: PlainRequest): Promise<Reply>
}

/** One call on its way: each stage adds what the next ones need. */
interface Exchange {
  operation: Operation
  request: PlainRequest
  caller: Caller
  bytes: Uint8Array | undefined
  /** Held until the body is parsed; for an operation that takes the raw body, until the end. */
  turn: BodyTurn | undefined
  keyed: idempotency.Keyed | undefined
  /** The records of the path, in its order, without the team. */
  found: { noun: string; id: string; row: object }[]
  plain: Record<string, string>
  /** The caller's team takes turns with others for connections. */
  db: TeamDatabase
}

export function createPipeline(context: Context, credentials: Credentials, refusals: Refusals): Pipeline {
  const { db, keyring, config, rateLimit } = context
  const inLine = idempotency.createLine()
  const time = teamTimeOf(context)
  const bodyTurns = createBodyTurns(time)

  async function identify(request: PlainRequest): Promise<Caller> {
    const token = bearerToken(request.authorization)
    const caller = token === undefined ? undefined : await credentials.find(token)
    if (caller) return caller
    await countStranger(context, request.address())
    throw unauthorized(context.baseUrl(), request.authorization !== undefined)
  }

  async function limit(caller: Caller, headers: Record<string, string>): Promise<void> {
    const own = await rateLimit.take(`credential ${caller.credential.id}`, config.rateLimit)
    refuseIfOver(own, headers)
    refuseIfOver(await rateLimit.take(`team ${caller.team_id}`, config.rateLimit * 10), headers, own)
  }

  async function resolve({ operation, request, caller, found, plain, db: teamDb }: Exchange): Promise<void> {
    for (const name of operation.parameters) {
      const noun = nounOf(name)
      const value = request.params[name]!
      if (noun === 'team') continue
      const resource = noun === undefined ? undefined : registryOf(context).resources.get(noun)
      if (noun === undefined || !resource) {
        if (value.includes('\0')) throw new Fault('not_found')
        plain[name] = value
        continue
      }
      const [row] = isId(value) ? await resource.find(teamDb.sql, value, caller.team_id) : []
      // a record that the path places below another must say so itself: its `agent_id` is the agent of the path
      const isMisplaced = found.some(({ noun: parent, id }) => {
        const ofParent = (row as Record<string, unknown> | undefined)?.[`${parent}_id`]
        return ofParent !== undefined && ofParent !== id
      })
      if (!row || isMisplaced) throw new Fault('not_found')
      found.push({ noun, id: value, row })
    }
  }

  /** Writes the answer as text. A large one takes time of the thread, which its team pays for. */
  function replyFor({ operation, caller: { team_id } }: Exchange, answer: unknown): Reply {
    const reply = time.piece(team_id, () => replyOf(operation, answer))
    time.moved(team_id, reply.body?.length ?? 0)
    return reply
  }

  /** The same for an answer that was only read. It may be long, so others get their turn while it is written. */
  async function replyInTurns({ operation, caller: { team_id } }: Exchange, answer: unknown): Promise<Reply> {
    const body = await takeStepsInTurns(writeAnswer(answer as object), (ms) => time.usedThread(team_id, ms))
    time.moved(team_id, body.length)
    return { status: operation.status, body, headers: {} }
  }

  /** Everything from resolving the path to the committed answer; the one place where the handler is called. */
  async function carryOut(exchange: Exchange): Promise<Reply> {
    const { operation, request, caller, found, plain, db: teamDb } = exchange
    await resolve(exchange)
    const seen = {
      ...Object.fromEntries(found.map(({ noun, row }) => [noun, row])),
      team: { id: caller.team_id },
      caller,
      params: plain,
      ...(await (takesJson(operation) ? inTurn(exchange, readRequest(exchange)) : takeSteps(readRequest(exchange)))),
      bytes: exchange.bytes ?? noBytes,
      contentType: request.contentType,
      context,
      requestId: request.requestId,
      via: request.via ?? 'api',
      lastEventId: request.lastEventId,
      fail,
    }
    if (operation.protocol) return converse(exchange, operation.protocol, seen)
    const prepared = operation.prepare && (await operation.prepare({ ...seen, sql: teamDb.sql } as never))
    if (operation.lane) return onLane(exchange, operation.lane, { ...seen, prepared, sql: teamDb.sql })
    const handle = (sql: Sql) =>
      operation.handler!({
        ...seen,
        prepared,
        sql,
        emit: (event: never, data: never) => emitEvent(sql, caller.team_id, event, data),
        enqueue: enqueueOn(sql),
      } as never)
    if (operation.stream) return streamOf(exchange, () => handle(teamDb.sql) as Promise<Source>)
    if (!isMutating(operation)) return replyInTurns(exchange, await handle(teamDb.sql))

    const reply = await retryingDeadlocks(() =>
      teamDb.transaction(async (sql) => {
        const answer = await handle(sql)
        const written = replyFor(exchange, answer)
        await record(sql, exchange, written, answer)
        return written
      }),
    )
    eventFeedOf(context).nudge()
    return reply
  }

  async function converse(
    exchange: Exchange,
    spoken: NonNullable<Operation['protocol']>,
    seen: object,
  ): Promise<Reply> {
    const { request, caller, keyed, db: teamDb } = exchange
    const { requestId, address, idempotencyKey } = request
    const perform = (asked: Operation, how: Asked) =>
      performFor(caller, asked, {
        requestId,
        address,
        via: spoken.via,
        authorization: undefined,
        ...requestOf(asked, how),
      })
    const sent = await inTurn(exchange, readJson(exchange.bytes))
    const said = await spoken.speak({
      ...seen,
      ...request.http,
      idempotencyKey,
      sql: teamDb.sql,
      sent,
      perform,
    } as never)
    const reply = await replyOfSaid(said)
    if (keyed && said.isOutcome) await record(db.sql, exchange, reply, undefined)
    else if (keyed) await idempotency.dropClaim(db.sql, keyed)
    return reply
  }

  /** A call inside a message whose sender is known and counted. */
  async function performFor(caller: Caller, operation: Operation, request: PlainRequest): Promise<Reply> {
    const startedAt = performance.now()
    const reply = { ...(await answered(() => proceed(operation, request, caller))), caller }
    report(context, operation, { requestId: request.requestId, startedAt }, reply)
    return reply
  }

  /** Takes its slot among the open streams before anything is read for it. */
  async function streamOf({ operation, request, caller }: Exchange, open: () => Promise<Source>): Promise<Reply> {
    const release = openStreamsOf(context).reserve(caller)
    const source = await open().catch((error: unknown) => {
      release()
      throw error
    })
    const token = bearerToken(request.authorization)!
    // the credential's read scopes at the time of opening decided what the stream sends
    const needed = [operation.scope, ...[...caller.scopes].filter((scope) => scope.endsWith(':read'))]
    const isAllowed = async () => {
      const held = (await credentials.find(token))?.scopes
      return held !== undefined && needed.every((scope) => held.has(scope))
    }
    return { status: operation.status, body: null, headers: {}, stream: { source, isAllowed, release } }
  }

  /** The answer's own rows join a commit that others share; it is known before it is written, so that its reply can be stored with it. */
  async function onLane(exchange: Exchange, lane: NonNullable<Operation['lane']>, call: object): Promise<Reply> {
    const stored = (answer: unknown): StoredRows => {
      const { status, body } = replyFor(exchange, answer)
      const sealed = exchange.keyed ? idempotency.sealReply(keyring, body) : null
      return {
        audit: auditColumnsOf(entryOf(exchange, status, answer)),
        key: idempotency.keyColumns(exchange.keyed, { status, sealed }),
      }
    }
    const answer = await lane({ ...call, stored } as never)
    if (answer === keyTaken) throw new KeyTaken()
    return replyFor(exchange, answer)
  }

  async function record(sql: Sql, exchange: Exchange, reply: Reply, answer: unknown, error?: Fault): Promise<void> {
    const { operation, keyed } = exchange
    // what a message did is in the audit rows of the operations that it asked for
    if (operation.protocol) return keyed && idempotency.settleClaim(sql, keyring, keyed, reply)
    const entry = entryOf(exchange, reply.status, answer, error)
    const isAudited = error === undefined || refusals.isWritten(entry)
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
  async function recordRefusal(exchange: Exchange, fault: Fault): Promise<Reply> {
    const reply = replyOfFault(fault)
    await exchange.db.transaction(async (sql) => {
      await record(sql, exchange, reply, undefined, fault)
    })
    return reply
  }

  async function mutate(exchange: Exchange): Promise<Reply> {
    try {
      return await carryOut(exchange)
    } catch (error) {
      const fault = faultOf(error)
      // an error that only says that a key, a record or a pool is busy is not an outcome of this request: the next try may succeed
      const isBusy =
        fault?.code === 'idempotency_key_in_use' ||
        fault?.code === 'rate_limited' ||
        sqlState(error) === lockNotAvailable
      if (!fault || fault.status >= 500 || isBusy) throw error
      return recordRefusal(exchange, fault)
    }
  }

  /** Operations that act outside hold a committed claim while they do, so that a second request cannot act again. */
  async function mutateOutside(exchange: Exchange, keyed: idempotency.Keyed): Promise<Reply> {
    if (!(await idempotency.claimCommitted(exchange.db.sql, keyed))) throw new KeyTaken()
    const renewal = setInterval(() => {
      idempotency
        .renewClaim(db.sql, keyed)
        .catch((error: unknown) => context.log.warn({ err: error }, 'an idempotency claim could not be renewed'))
    }, idempotency.claimRenewalMs)
    try {
      return await mutate(exchange)
    } catch (error) {
      await idempotency
        .dropClaim(db.sql, keyed)
        .catch((failed: unknown) => context.log.warn({ err: failed }, 'an idempotency claim stays until it runs out'))
      throw error
    } finally {
      clearInterval(renewal)
    }
  }

  async function replayOrMutate(exchange: Exchange, keyed: idempotency.Keyed): Promise<Reply> {
    // one more round when the key was taken between the look and the end: then its reply, or who holds it, is there
    for (let round = 0; ; round++) {
      const stored = await idempotency.findReply(exchange.db.sql, keyring, keyed)
      if (stored) return { ...stored, headers: { 'idempotency-replayed': 'true' } }
      try {
        exchange.found.length = 0
        return exchange.operation.actsOutside ? await mutateOutside(exchange, keyed) : await mutate(exchange)
      } catch (error) {
        if (!(error instanceof KeyTaken)) throw error
        if (round > 0) throw idempotency.inUse()
      }
    }
  }

  async function pass(operation: Operation, request: PlainRequest, reply: Partial<Reply>): Promise<Reply> {
    const headers: Record<string, string> = (reply.headers = {})
    const { host, origin } = request.http?.headers ?? {}
    if (operation.protocol) requireOwnAddress(context.baseUrl(), host, origin)
    const caller = (reply.caller = await identify(request))
    if (config.rateLimit > 0) await limit(caller, headers)
    credentials.used(caller)
    return proceed(operation, request, caller)
  }

  /** From the known caller on. */
  async function proceed(operation: Operation, request: PlainRequest, caller: Caller): Promise<Reply> {
    const exchange: Exchange = {
      operation,
      request,
      caller,
      bytes: undefined,
      turn: undefined,
      keyed: undefined,
      found: [],
      plain: {},
      db: teamDatabaseOf(context, caller.team_id),
    }
    requireScopeAndTeam(exchange)
    await time.turn(caller.team_id, { caller: caller.credential.id, patienceMs })
    if (!isMutating(operation)) return carryOut(exchange)
    const { bodyBytes = operation.bodyBytesMax } = request
    exchange.turn = await bodyTurns.enter(caller, Math.min(bodyBytes, operation.bodyBytesMax))
    try {
      await readBody(exchange)
      const { keyed } = exchange
      return keyed ? await inLine(keyed, () => replayOrMutate(exchange, keyed)) : await mutate(exchange)
    } finally {
      exchange.turn?.leave()
    }
  }

  return {
    async perform(operation, request) {
      const known: Partial<Reply> = {}
      const reply = await answered(() => pass(operation, request, known))
      return {
        ...reply,
        headers: { ...known.headers, ...reply.headers },
        ...(known.caller && { caller: known.caller }),
      }
    },
  }
}

function requireScopeAndTeam({ operation, caller, request }: Exchange): void {
  if (!caller.scopes.has(operation.scope)) {
    throw new Fault(
      'insufficient_scope',
      `This credential lacks the scope ${operation.scope}. Use a key that has it, or ask an admin of the team for one.`,
      { headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${operation.scope}"` } },
    )
  }
  for (const name of operation.parameters) {
    if (nounOf(name) === 'team' && request.params[name] !== caller.team_id) throw new Fault('forbidden')
  }
}

/** Reads query and body as the operation declares them, or refuses them with everything that is wrong with both. */
function* readRequest({
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

/** A request of a team that used more than its share waits for its turn this long, then it is a 429. */
const patienceMs = 10_000

const noBytes = Buffer.alloc(0)

const takesJson = (operation: Operation): boolean =>
  isMutating(operation) && !operation.takesBytes && !operation.protocol

/** Reads a body when its turn comes, and charges the time. A second round of the same request has no turn any more, and does not wait. */
async function inTurn<T>(exchange: Exchange, steps: Steps<T>): Promise<T> {
  const { turn } = exchange
  await turn?.toParse()
  try {
    return await takeStepsInTurns(steps, (ms) => turn?.parsed(ms))
  } finally {
    turn?.leave()
    exchange.turn = undefined
  }
}

async function readBody(exchange: Exchange): Promise<void> {
  const { operation, request, caller } = exchange
  const { idempotencyKey: key } = request
  if (key !== undefined) idempotency.requireSaneKey(key)
  exchange.bytes = await request.readBody(operation.bodyBytesMax)
  if (key === undefined) return
  const { method } = operation
  const requestHash = idempotency.hashRequest(caller, { method, url: request.url, body: exchange.bytes })
  exchange.keyed = { teamId: caller.team_id, key, requestHash }
}

function entryOf(exchange: Exchange, status: number, answer: unknown, error?: Fault): AuditEntry {
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

/** Another request holds the key: its stored reply is the answer. */
class KeyTaken extends Error {}

const fail = (code: Fault['code'], message?: string): never => {
  throw new Fault(code, message)
}
