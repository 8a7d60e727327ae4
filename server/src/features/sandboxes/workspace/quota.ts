// How much a sandbox, and all sandboxes of a team, may hold.
import { one, type Sql } from '../../../base/db.ts'
import type { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import type { LockedSandbox } from './changes.ts'
import { entriesMax } from './scan.ts'
import { runningPart } from '../../../kit/runningPart.ts'
import { storageProblem, storageProblemAhead } from '../../../engine/engine.ts'

/** How long a team's total is cached, because a busy team would be counted with every write. A team may exceed its limit for that long. */
const countedEveryMs = 10_000

interface Counted {
  bytes: number
  at: number
}

const totalsOf = runningPart('sandbox totals', () => new Map<string, Counted>())

export interface Refusal {
  code: Extract<Fault['code'], 'invalid_request' | 'entitlement_exceeded'>
  message: string
}

const invalid = (message: string): Refusal => ({ code: 'invalid_request', message })

/** `ofTeam`: what else the team's sandboxes are to take in this transaction. */
interface More {
  bytes: number
  entries: number
  ofTeam?: number
  /** The bytes are still to come, and somebody asks again when they are written. */
  isAhead?: boolean
}

/**
 * Why these files do not fit, or undefined. The sandbox is locked, so that two who ask cannot both get the last byte. What a change adds to the
 * history counts from the next change on.
 */
export async function quotaProblem(
  context: Context,
  sql: Sql,
  sandbox: LockedSandbox,
  more: More,
): Promise<Refusal | undefined> {
  const { sandboxBytesMax, teamFilesBytesMax } = context.config
  if (sandbox.entries + more.entries > entriesMax) {
    return invalid(
      `A workspace holds at most ${entriesMax} files and empty folders. Remove some, or pack them into an archive.`,
    )
  }
  const kept = sandbox.kept_bytes + sandbox.history_bytes
  if (kept + more.bytes > sandboxBytesMax) {
    const has = `This workspace keeps ${kept} bytes, with the earlier contents, names and links of what changed, and ${more.bytes} more`
    return invalid(`${has} would pass its limit of ${sandboxBytesMax} (RUNYARD_SANDBOX_BYTES). Use another sandbox.`)
  }
  if ((await teamBytes(context, sql, sandbox.team_id)) + more.bytes > teamFilesBytesMax) {
    const has = `With ${more.bytes} bytes more, the sandboxes of this team would pass their limit of ${teamFilesBytesMax} together`
    return invalid(`${has} (RUNYARD_TEAM_FILES_BYTES). Delete sandboxes or runs that are no longer needed.`)
  }
  const storage = more.isAhead ? storageProblemAhead : storageProblem
  const problem = await storage(context, sql, sandbox.team_id, more.bytes + (more.ofTeam ?? 0))
  return problem === undefined ? undefined : { code: 'entitlement_exceeded', message: problem }
}

/** What all sandboxes of the team hold, counted at most ten seconds ago. */
export async function teamBytes(context: Context, sql: Sql, teamId: string): Promise<number> {
  const ofTeams = totalsOf(context)
  const known = ofTeams.get(teamId)
  const now = performance.now()
  if (known && now - known.at < countedEveryMs) return known.bytes
  const counted = await one(sql<{ bytes: number }>`
    select coalesce(sum(kept_bytes + history_bytes), 0)::bigint as bytes from sandboxes where team_id = ${teamId}`)
  ofTeams.set(teamId, { bytes: counted.bytes, at: now })
  return counted.bytes
}
