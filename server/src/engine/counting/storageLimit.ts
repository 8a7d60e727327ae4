// Whether a team may store more bytes, of whatever counts as stored (docs/guides/entitlements.md).
import { BoundedCache } from '../../base/boundedCache.ts'
import { one, type Sql } from '../../base/db.ts'
import { lockLimit, type Entitlements } from './entitlements.ts'
import { bytesStored } from './usageSql.ts'

/**
 * The default limit uses a count that is at most this old, so that it costs a busy team no statement and no lock. A team can therefore
 * exceed it for a moment. A limit that is set for a team is exact to the byte.
 */
const countedEveryMs = 10_000
/** Counts are short-lived: a count that is dropped is read again. */
const teamsMax = 10_000

/** Functions of the database ask for the default too: the process that starts last tells it. */
export async function noteStorageDefault(sql: Sql, bytes: number): Promise<void> {
  await sql`update storage_default set bytes = ${bytes} where bytes <> ${bytes}`
}

interface Counted {
  bytes: number
  at: number
}

export interface StorageLimit {
  /** Whether the team has a limit at all. */
  concerns(teamId: string): boolean
  /** Whether the limit of the team is its own; then the writer locks it until its commit. */
  isOwn: (teamId: string) => boolean
  /**
   * What the team may still store; undefined: there is no limit. If the team has its own limit, this costs two statements; otherwise it
   * rarely costs one.
   */
  room(sql: Sql, teamId: string): Promise<StorageRoom | undefined>
  /** Why this many more bytes do not fit, or undefined. */
  problem(sql: Sql, teamId: string, bytes: number): Promise<string | undefined>
}

export interface StorageRoom {
  /** How many bytes still fit; negative: there are too many already. */
  left(): number
  /** Takes up the bytes, or says why they do not fit. */
  take(bytes: number): string | undefined
}

/** `limit` is for teams without a limit of their own; 0 means no limit. */
export function createStorageLimit(limit: number, entitlements: Entitlements): StorageLimit {
  const totals = new BoundedCache<Counted>({ name: 'stored bytes of teams', entriesMax: teamsMax })
  const isOwn = (teamId: string) => entitlements.has(teamId, 'storage_bytes')

  async function counted(sql: Sql, teamId: string): Promise<Counted> {
    const known = totals.get(teamId)
    const now = performance.now()
    if (known && now - known.at < countedEveryMs) return known
    const fresh = { bytes: await readBytes(sql, teamId), at: now }
    totals.set(teamId, fresh)
    return fresh
  }

  async function room(sql: Sql, teamId: string): Promise<StorageRoom | undefined> {
    await entitlements.refresh(sql)
    if (!isOwn(teamId)) return limit === 0 ? undefined : roomOf(String(limit), await counted(sql, teamId))
    const own = await lockLimit(sql, teamId, 'storage_bytes')
    return own === undefined ? undefined : roomOf(own, { bytes: await readBytes(sql, teamId) })
  }

  return {
    concerns: (teamId) => limit > 0 || isOwn(teamId),
    isOwn,
    room,
    problem: async (sql, teamId, bytes) => (bytes <= 0 ? undefined : (await room(sql, teamId))?.take(bytes)),
  }
}

const roomOf = (limit: string, stored: { bytes: number }): StorageRoom => ({
  left: () => Math.floor(Number(limit)) - stored.bytes,
  take(bytes) {
    if (stored.bytes + bytes > Number(limit)) return refusal(limit, stored.bytes, bytes)
    stored.bytes += bytes
    return undefined
  },
})

function refusal(limit: string, stored: number, bytes: number): string {
  const has = `This team may keep ${limit} bytes (storage_bytes) and keeps ${stored}; ${bytes} more do not fit`
  const remedy =
    'Delete sandboxes, runs, cases or artifacts that are no longer needed, or ask the operator to raise the limit'
  return `${has}. ${remedy} (runyard entitlements set).`
}

async function readBytes(sql: Sql, teamId: string): Promise<number> {
  const stored = await one(sql<{ bytes: number }>`select ${bytesStored(teamId)} as bytes`)
  return stored.bytes
}
