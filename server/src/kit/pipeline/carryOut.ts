// The stages from the path's records to the committed answer: the only ones in which an operation's own code runs.
import { retryingDeadlocks, untilWritten, type Sql } from '../../base/db.ts'
import { takeSteps, takeStepsInTurns } from '../../base/steps.ts'
import { replyOfFile, type AnswerFile, type FileAnswer } from '../answerFile.ts'
import { auditColumnsOf } from '../audit.ts'
import { emitEvent } from '../event.ts'
import * as idempotency from '../idempotency.ts'
import { enqueueOn } from '../job.ts'
import { readJson } from '../json.ts'
import { openStreamsOf } from '../openStreams.ts'
import { keyTaken, type Operation, type StoredRows } from '../operation.ts'
import { replyOfProtocol, requestOf, type OperationCall } from '../protocol.ts'
import { replyOf, writeAnswer, type Reply } from '../reply.ts'
import { backgroundDatabaseOf } from '../teamDatabase.ts'
import type { Source } from '../stream.ts'
import { findCaller, identifyAgain } from './admit.ts'
import { fail, KeyTaken, takesJson, type Exchange } from './exchange.ts'
import { inTurn, readRequest } from './readRequest.ts'
import { entryOf, record } from './record.ts'
import { resolvePath } from './resolvePath.ts'

const noBytes = Buffer.alloc(0)

/** If the database is away after a call has acted, its outcome is tried for this long. A client without an answer repeats the call, which acts again. */
export const finishMaxMs = 30_000

export async function carryOut(exchange: Exchange): Promise<Reply> {
  const { operation, db } = exchange
  await resolvePath(exchange)
  const seen = await whatIsSeen(exchange)
  if (operation.protocol) return converse(exchange, operation.protocol, seen)
  const prepared = operation.prepare && (await prepare(exchange, operation.prepare, seen))
  if (operation.lane)
    return onLane(exchange, operation.lane, {
      ...seen,
      caller: exchange.caller,
      prepared,
      sql: db.sql,
      stillAllowed: () => identifyAgain(exchange),
    })
  const { handler } = operation
  if (!handler) throw new Error(`${operation.id} has no handler`)
  const handle = (sql: Sql) =>
    handler({
      ...seen,
      caller: exchange.caller,
      prepared,
      sql,
      emit: (event: never, data: never) => emitEvent(sql, exchange.caller.team_id, event, data),
      enqueue: enqueueOn(sql),
    } as never)
  if (operation.stream) return streamOf(exchange, () => handle(db.sql) as Promise<Source>)
  if (operation.onlyReads && !exchange.keyed) {
    const answer = await handle(db.sql)
    if (operation.answerFile) return fileReplyFor(exchange, operation.answerFile, answer as FileAnswer)
    return hasList(answer) ? replyInTurns(exchange, answer) : replyFor(exchange, answer)
  }
  // what is only read needs no transaction, and may come from an object store, which nobody asks in one
  const read = operation.onlyReads ? { answer: await handle(db.sql) } : undefined
  const finish = () =>
    retryingDeadlocks(() =>
      exchange.db.transaction(async (sql) => {
        // whoever was revoked or narrowed while the call waited for its connection does nothing with it
        if (!exchange.hasActed) await identifyAgain(exchange, sql)
        const answer = read ? read.answer : await handle(sql)
        const reply = replyFor(exchange, answer)
        await record(sql, exchange, reply, answer)
        return reply
      }),
    )
  return exchange.hasActed ? untilWritten(finish, AbortSignal.timeout(finishMaxMs)) : finish()
}

/** What `prepare` and the handler both see of the call. */
async function whatIsSeen(exchange: Exchange): Promise<object> {
  const { deps, operation, request, found, plain } = exchange
  const steps = readRequest(exchange)
  const sent = await (takesJson(operation) ? inTurn(exchange, steps) : takeSteps(steps))
  await identifyAgain(exchange)
  const { caller } = exchange
  return {
    ...Object.fromEntries(found.map(({ noun, row }) => [noun, row])),
    team: { id: caller.team_id },
    caller,
    params: plain,
    ...sent,
    bytes: exchange.bytes ?? noBytes,
    contentType: request.contentType,
    context: deps.context,
    requestId: request.requestId,
    // only our page can use a session
    via: request.via ?? (caller.credential.type === 'session' ? 'console' : 'api'),
    lastEventId: request.lastEventId,
    fail,
  }
}

/**
 * It may take minutes, so the caller is asked about again: after it, or else in each commit of its own. What those did stands and is answered,
 * also to a token that has expired since then; a repeat with the next token of its grant finds the answer.
 */
async function prepare(exchange: Exchange, work: NonNullable<Operation['prepare']>, seen: object): Promise<unknown> {
  const { db, operation } = exchange
  const act = async <T>(change: (sql: Sql) => Promise<T>): Promise<T> => {
    const result = await retryingDeadlocks(() =>
      db.transaction(async (sql) => {
        await identifyAgain(exchange, sql)
        return change(sql)
      }),
    )
    exchange.hasActed = true
    exchange.mustBeAudited = true
    // its outcome waits behind nobody for a place among the requests
    exchange.db = backgroundDatabaseOf(exchange.deps.context, exchange.caller.team_id)
    return result
  }
  const prepared = await work({ ...seen, sql: db.sql, act } as never)
  exchange.mustBeAudited ||= operation.actsOutside ?? false
  if (!exchange.hasActed) await identifyAgain(exchange)
  return prepared
}

/** Writes the answer as text. A large one takes time of the thread, which its team pays for. */
function replyFor({ deps: { time }, operation, caller: { team_id } }: Exchange, answer: unknown): Reply {
  const reply = time.piece(team_id, () => replyOf(operation, answer))
  time.moved(team_id, reply.body?.length ?? 0)
  return reply
}

/** The same for a list that was only read. It may be long, so others get their turn while it is written. */
async function replyInTurns({ deps, operation, caller: { team_id } }: Exchange, answer: unknown): Promise<Reply> {
  const { time } = deps
  const body = await takeStepsInTurns(writeAnswer(answer as object), (ms) => time.usedThread(team_id, ms))
  time.moved(team_id, body.length)
  return { status: operation.status, body, headers: {} }
}

/** The bytes are sent as they are; only moving them is charged. */
function fileReplyFor({ deps: { time }, operation, caller }: Exchange, declared: AnswerFile, file: FileAnswer): Reply {
  const { bytes } = file
  const counted = (length: number) => time.moved(caller.team_id, length)
  if (typeof bytes !== 'string' && !Buffer.isBuffer(bytes)) {
    return { status: operation.status, ...replyOfFile(declared, { ...file, bytes: countedPieces(bytes, counted) }) }
  }
  counted(bytes.length)
  return { status: operation.status, ...replyOfFile(declared, file) }
}

async function* countedPieces(
  pieces: AsyncIterable<Buffer>,
  counted: (length: number) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    counted(piece.length)
    yield piece
  }
}

const hasList = (answer: unknown): boolean => Object.values(answer as object).some(Array.isArray)

/** Hands the body to what speaks a protocol of its own; the calls inside the message come back to the pipeline. */
async function converse(exchange: Exchange, spoken: NonNullable<Operation['protocol']>, seen: object): Promise<Reply> {
  const { deps, request, caller, keyed, db: teamDb } = exchange
  const { db } = deps.context
  const { requestId, address, idempotencyKey, authorization, page } = request
  const perform = (asked: Operation, how: OperationCall) =>
    deps.performFor(caller, asked, {
      requestId,
      address,
      via: spoken.via,
      authorization,
      ...(page && { page }),
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
  const reply = await replyOfProtocol(said)
  if (keyed && said.isOutcome) await record(db.sql, exchange, reply, undefined)
  else if (keyed) await idempotency.dropClaim(db.sql, keyed)
  return reply
}

/** Takes its slot among the open streams before anything is read for it. */
async function streamOf({ deps, operation, request, caller }: Exchange, open: () => Promise<Source>): Promise<Reply> {
  const release = openStreamsOf(deps.context).reserve(caller)
  const source = await open().catch((error: unknown) => {
    release()
    throw error
  })
  // the credential's read scopes at the time of opening decided what the stream sends
  const needed = [operation.scope, ...[...caller.scopes].filter((scope) => scope.endsWith(':read'))]
  const isAllowed = async () => {
    const held = (await findCaller(deps, request))?.scopes
    return held !== undefined && needed.every((scope) => held.has(scope))
  }
  return { status: operation.status, body: null, headers: {}, stream: { source, isAllowed, release } }
}

/** The rows of this call join a commit that others share. Its answer is known before that commit, so that the reply can be stored in it. */
async function onLane(exchange: Exchange, lane: NonNullable<Operation['lane']>, call: object): Promise<Reply> {
  const { deps, keyed } = exchange
  const written = new Map<unknown, Reply>()
  const stored = (answer: unknown): StoredRows => {
    const reply = replyFor(exchange, answer)
    written.set(answer, reply)
    const { status, body } = reply
    const sealed = keyed ? idempotency.sealReply(deps.context.keyring, body) : null
    return {
      audit: auditColumnsOf(entryOf(exchange, status, answer)),
      key: idempotency.keyColumns(keyed, { status, sealed }),
    }
  }
  const answer = await lane({ ...call, stored } as never)
  if (answer === keyTaken) throw new KeyTaken()
  // the text that a repeat would get
  return written.get(answer) ?? replyFor(exchange, answer)
}
