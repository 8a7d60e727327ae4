// How many bytes a team may store in all: files of sandboxes, cases, memory, and large messages of runs.
import { part, type Sql } from '../base/db.ts'
import { countsOf } from '../base/pieces.ts'
import type { Context } from '../kit/context.ts'
import { engineOf } from './engine.ts'
import { lockLimit } from './entitlements.ts'
import { bytesStored } from './teamUse.ts'

/** These pieces are folded together with the usage. */
export const storedPieces = countsOf(part`stored_bytes`, part`team_id`, part`bytes`)

/**
 * The default limit uses a count that is at most this old, so that it costs a busy team no statement and no lock. A team can therefore
 * exceed it for a moment. A limit that is set for a team is exact to the byte.
 */
const countedEveryMs = 10_000

interface Counted {
  bytes: number
  at: number
}

const totals = new WeakMap<Context, Map<string, Counted>>()

/** Why this many more bytes do not fit, or undefined. If the team has its own limit, the writer locks it until its commit. */
export async function storageProblem(
  context: Context,
  sql: Sql,
  teamId: string,
  bytes: number,
): Promise<string | undefined> {
  if (bytes <= 0) return undefined
  const { entitlements } = engineOf(context)
  await entitlements.refresh(sql)
  if (entitlements.has(teamId, 'storage_bytes')) return problemOfOwnLimit(sql, teamId, bytes)
  const limit = context.config.teamStorageBytes
  if (limit === 0) return undefined
  const stored = await countedBytes(context, sql, teamId)
  if (stored.bytes + bytes > limit) return refusal(String(limit), stored.bytes, bytes)
  stored.bytes += bytes
  return undefined
}

async function problemOfOwnLimit(sql: Sql, teamId: string, bytes: number): Promise<string | undefined> {
  const limit = await lockLimit(sql, teamId, 'storage_bytes')
  if (limit === undefined) return undefined
  const stored = await readBytes(sql, teamId)
  return stored + bytes <= Number(limit) ? undefined : refusal(limit, stored, bytes)
}

function refusal(limit: string, stored: number, bytes: number): string {
  const has = `This team may keep ${limit} bytes (storage_bytes) and keeps ${stored}; ${bytes} more do not fit`
  const remedy = 'Delete sandboxes, runs or cases that are no longer needed, or ask the operator to raise the limit'
  return `${has}. ${remedy} (runyard entitlements set).`
}

async function countedBytes(context: Context, sql: Sql, teamId: string): Promise<Counted> {
  let ofTeams = totals.get(context)
  if (!ofTeams) totals.set(context, (ofTeams = new Map()))
  const known = ofTeams.get(teamId)
  const now = performance.now()
  if (known && now - known.at < countedEveryMs) return known
  const counted = { bytes: await readBytes(sql, teamId), at: now }
  ofTeams.set(teamId, counted)
  return counted
}

async function readBytes(sql: Sql, teamId: string): Promise<number> {
  const [stored] = await sql<{ bytes: number }>`select ${bytesStored(teamId)} as bytes`
  return stored!.bytes
}
