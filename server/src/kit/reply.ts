// What a caller gets: the answer of an operation, or the one shape of a refusal, whatever was thrown.
import { writeProblemOf } from '../base/databaseWatch.ts'
import { isConnectionTrouble, lockNotAvailable, sqlState } from '../base/db.ts'
import { errorBody, Fault } from '../base/errors.ts'
import { PoolFull } from '../base/fairPool.ts'
import { OutboundRefused } from '../base/outbound/guard.ts'
import { StoreAway, StoreRefused } from '../drivers/blobs/objectStore.ts'
import type { Steps } from '../base/steps.ts'
import type { Caller } from './credential.ts'
import type { Operation } from './operation.ts'
import type { Source } from './stream.ts'

export interface Reply {
  status: number
  body: string | null
  headers: Record<string, string>
  /** Instead of a body: a file, with its whole Content-Type. */
  file?: { bytes: Buffer | string | AsyncIterable<Buffer>; type: string }
  /** Instead of a body: a stream of events, for as long as the credential is valid. */
  stream?: { source: Source; isAllowed: () => Promise<boolean>; release: () => void }
  /** Instead of a body: a stream of another protocol, which has an end. */
  flow?: ReadableStream<Uint8Array>
  /** For the log line, once the caller is known. */
  caller?: Caller
  /** The reason of a 500, for the log alone. */
  cause?: unknown
}

export function replyOf(operation: Operation, answer: unknown): Reply {
  const body = operation.status === 204 ? null : JSON.stringify(answer)
  return { status: operation.status, body, headers: {} }
}

/** Writes an answer in steps: the items of its lists one by one, since a page of long texts takes 20 ms to write. */
export function* writeAnswer(answer: object): Steps<string> {
  const fields: string[] = []
  for (const [name, value] of Object.entries(answer) as [string, unknown][]) {
    const text = Array.isArray(value) ? yield* writeList(value) : JSON.stringify(value)
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${fields.join()}}`
}

function* writeList(items: unknown[]): Steps<string> {
  const texts: string[] = []
  for (const item of items) {
    texts.push(JSON.stringify(item) ?? 'null')
    yield
  }
  return `[${texts.join()}]`
}

export function replyOfFault(fault: Fault): Reply {
  return { status: fault.status, body: JSON.stringify(errorBody(fault)), headers: { ...fault.headers } }
}

/** Whether it speaks of the caller and not of the request: the same request may succeed with a better credential, or with more rights. */
export const wantsOtherCredential = ({ headers }: Pick<Reply, 'headers'>): boolean =>
  headers['www-authenticate'] !== undefined

/** Whatever is thrown becomes an answer; the reason of a 500 goes with it, for the log. */
export async function answered(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    const fault = faultOf(error) ?? new Fault('internal_error', undefined, { cause: error })
    return { ...replyOfFault(fault), ...(fault.status === 500 && { cause: error }) }
  }
}

/** Work of the same team ends all the time, so a second is a fair pause. */
const poolFault = (full: PoolFull): Fault =>
  new Fault('rate_limited', full.message, { headers: { 'retry-after': '1' }, cause: full })

/** What a thrown thing means to the caller; undefined: a mistake of ours. */
export function faultOf(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error
  if (error instanceof OutboundRefused) return new Fault('url_not_allowed', error.reason)
  if (error instanceof PoolFull) return poolFault(error)
  if (isConnectionTrouble(error)) {
    const says = writeProblemOf(error) === undefined ? 'does not answer' : 'cannot write'
    return new Fault(
      'internal_error',
      `The database ${says} right now. Send the request again after Retry-After seconds.`,
      {
        headers: { 'retry-after': '1' },
        cause: error,
      },
    )
  }
  if (error instanceof StoreAway || error instanceof StoreRefused) {
    const says =
      error instanceof StoreAway
        ? 'The store of files does not answer right now. Send the request again after Retry-After seconds.'
        : 'The store of files refuses to serve this server. Its operator finds the reason in the log.'
    return new Fault('internal_error', says, { headers: { 'retry-after': '5' }, cause: error })
  }
  if (sqlState(error) === lockNotAvailable) {
    return new Fault('conflict', 'Another request is changing the same record. Try again in a moment.')
  }
  return undefined
}
