// Idempotency-Key: the first answer of a keyed request is stored with its effect, and given again for a day.
import { isUtf8 } from 'node:buffer'
import { awakeTimer } from '../base/awakeTimer.ts'
import { part, type Part, type Sql } from '../base/db.ts'
import { Fault } from '../base/errors.ts'
import { hashInSteps } from '../base/hashInSteps.ts'
import type { SealedColumn } from '../base/sealedColumns.ts'
import type { Keyring } from '../base/secrets.ts'
import type { Steps } from '../base/steps.ts'
import type { Caller } from './credential.ts'
import { leaseUntil } from './lease.ts'

export interface Keyed {
  teamId: string
  key: string
  requestHash: Buffer
}

export interface StoredReply {
  status: number
  body: string | null
}

const purpose = 'idempotency reply'

export const sealedReply: SealedColumn = {
  table: 'idempotency_keys',
  column: 'reply',
  key: ['team_id', 'key'],
  purpose: () => purpose,
}

/** How long a committed claim holds without renewal, and how often it is renewed. */
const claimSeconds = 60
export const claimRenewalMs = 10_000

/**
 * A header carries a tab, visible ASCII and the bytes from 0x80 on (RFC 9110 §5.5); Node gives each byte as one character. Bytes that
 * are UTF-8 count as the characters they spell.
 */
export function requireSaneKey(key: string): void {
  const bytes = Buffer.from(key, 'latin1')
  const length = isUtf8(bytes) ? Array.from(bytes.toString('utf8')).length : bytes.length
  if (length < 1 || length > 255 || !/^[\t\x20-\x7e\x80-\xff]*$/.test(key)) throw new Fault('invalid_idempotency_key')
}

/** A key that comes as text and not in a header, in the form in which a header would carry it. */
export const keyOfText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/**
 * A key is bound to the credential with its grant, to the method, to the path with its query, and to the body. Each part is
 * length-prefixed, so that no part can pass for another. Some replies hold a secret: another credential that repeats the request gets a
 * 409, and not that secret.
 */
export function* hashRequest(
  { credential, grant }: Pick<Caller, 'credential' | 'grant'>,
  { method, url, body }: { method: string; url: string; body: Uint8Array | undefined },
): Steps<Buffer> {
  const parts = [credential.id, grant, method, url].map((text) => `${text.length} ${text} `)
  const head = Buffer.from(parts.join(''))
  return yield* hashInSteps(head, ...(body ? [body] : []))
}

export const inUse = () => new Fault('idempotency_key_in_use', undefined, { headers: { 'retry-after': '1' } })

interface Row {
  request_hash: Buffer
  status: number | null
  reply: Buffer | null
  held: boolean
}

/** The stored reply of this request, or undefined when the request has to run. */
export async function findReply(sql: Sql, keyring: Keyring, keyed: Keyed): Promise<StoredReply | undefined> {
  const [row] = await sql<Row>`
    select request_hash, status, reply, coalesce(claimed_until > now(), false) as held
    from idempotency_keys where team_id = ${keyed.teamId} and key = ${keyed.key} and expires_at > now()`
  if (!row) return undefined
  if (row.status === null && !row.held) return undefined
  if (!row.request_hash.equals(keyed.requestHash)) throw new Fault('idempotency_key_reused')
  if (row.status === null) throw inUse()
  return { status: row.status, body: row.reply && keyring.open(row.reply, purpose).toString() }
}

/**
 * Takes the key by itself, before an operation acts outside. False: another request has it, and what that one stored, or
 * that it still runs, is the answer. Every other operation takes its key together with its reply (audit.ts).
 */
export async function claimCommitted(sql: Sql, keyed: Keyed): Promise<boolean> {
  const rows = await sql`
    insert into idempotency_keys as k (team_id, key, request_hash, claimed_until, expires_at)
    values (${keyed.teamId}, ${keyed.key}, ${keyed.requestHash},
      ${leaseUntil(claimSeconds)}, now() + interval '24 hours')
    on conflict (team_id, key) do update set request_hash = excluded.request_hash, status = null, reply = null,
      claimed_until = excluded.claimed_until, expires_at = excluded.expires_at
    where k.expires_at <= now() or (k.status is null and k.claimed_until <= now())
    returning key`
  return rows.length > 0
}

export async function renewClaim(sql: Sql, keyed: Keyed): Promise<void> {
  await sql`
    update idempotency_keys set claimed_until = ${leaseUntil(claimSeconds)}
    where team_id = ${keyed.teamId} and key = ${keyed.key} and request_hash = ${keyed.requestHash} and status is null`
}

/** Stores the reply of a committed claim by itself, where the effect was committed before. */
export async function finishClaim(
  sql: Sql,
  keyring: Keyring,
  keyed: Keyed,
  { status, body }: StoredReply,
): Promise<void> {
  await sql`
    update idempotency_keys set status = ${status}, reply = ${sealReply(keyring, body)}, claimed_until = null,
      expires_at = now() + interval '24 hours'
    where team_id = ${keyed.teamId} and key = ${keyed.key} and request_hash = ${keyed.requestHash} and status is null`
}

/** Frees a committed claim whose request failed on our side: the next try runs at once. */
export async function dropClaim(sql: Sql, keyed: Keyed): Promise<void> {
  await sql`
    delete from idempotency_keys
    where team_id = ${keyed.teamId} and key = ${keyed.key} and request_hash = ${keyed.requestHash} and status is null`
}

export interface KeyColumns {
  key: string | null
  key_hash: string | null
  key_status: number | null
  key_reply: string | null
}

/** A key with its reply as columns of a larger statement's input; `takeKeys` takes them from there. */
export const keyColumns = (keyed: Keyed | undefined, reply: { status: number; sealed: Buffer | null }): KeyColumns => ({
  key: keyed?.key ?? null,
  key_hash: keyed?.requestHash.toString('hex') ?? null,
  key_status: keyed ? reply.status : null,
  key_reply: keyed ? (reply.sealed?.toString('hex') ?? null) : null,
})

export const keyColumnTypes = part`key text, key_hash text, key_status smallint, key_reply text`

/**
 * Takes the keys of `rows` (team_id and the columns above) together with their replies, in one order so that two statements cannot
 * wait for each other; a key that another request has does not come back.
 */
export const takeKeys = (rows: Part): Part => part`
  insert into idempotency_keys as k (team_id, key, request_hash, status, reply, expires_at)
  select team_id, key, decode(key_hash, 'hex'), key_status, decode(key_reply, 'hex'), now() + interval '24 hours'
  from (${rows}) given where key is not null order by team_id, key
  on conflict (team_id, key) do update set request_hash = excluded.request_hash, status = excluded.status, reply = excluded.reply,
    claimed_until = null, expires_at = excluded.expires_at
  where k.expires_at <= now() or (k.status is null and k.claimed_until <= now())
  returning k.team_id, k.key`

/** Sealed, because some replies hold a secret that is shown once. */
export const sealReply = (keyring: Keyring, body: string | null): Buffer | null =>
  body === null ? null : keyring.seal(body, purpose)

export type KeyLine = <T>(keyed: Keyed, work: () => Promise<T>) => Promise<T>

/**
 * Requests of one process with the same key wait for each other here, so that a burst of retries takes one connection instead
 * of all of them. The wait is bounded like the database's own.
 */
export function createLine(waitMs = 2000): KeyLine {
  const running = new Map<string, Promise<unknown>>()
  return async function inLine(keyed, work) {
    const name = `${keyed.teamId} ${keyed.key}`
    const late = Promise.withResolvers<false>()
    // the time in which this process stood still does not count
    const stopWaiting = running.has(name) ? awakeTimer(() => late.resolve(false), waitMs) : undefined
    try {
      // nothing is waited for between the last look and our own entry, so no two go on together
      for (let ahead = running.get(name); ahead; ahead = running.get(name)) {
        if (!(await Promise.race([ends(ahead), late.promise]))) throw inUse()
      }
    } finally {
      stopWaiting?.()
    }
    const mine = work()
    running.set(name, mine)
    try {
      return await mine
    } finally {
      running.delete(name)
    }
  }
}

const ends = (work: Promise<unknown>): Promise<true> =>
  work.then(
    () => true,
    () => true,
  )
