// Starts what has come in for triggers, as part of every working process: each delivery once, teams in turns, whichever process dies.
import { setTimeout as pass } from 'node:timers/promises'
import { isConnectionTrouble, isPassing, part, retryingDeadlocks } from '../../base/db.ts'
import { withShortLock } from '../../base/shortLock.ts'
import type { Context } from '../../kit/context.ts'
import type { Tick } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { runningPart } from '../../kit/runningPart.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { eventMinuteOf } from './eventMinute.ts'
import { behindAll, nextOfEachTeam } from './nextOfEachTeam.ts'
import { batchMax, restMs, settleSome } from './settleSome.ts'

/** How soon it is asked again what has come in, while all teams with something that waits have used more than their share. */
const lookAgainMs = 500

const asked = { any: part`exists (select from trigger_deliveries where state = 'waiting')` }

/** How far the turns of a team have come in the order of its triggers. */
interface Lap {
  place: string
  hasVisited: boolean
}

/** Teams of which nothing could proceed in a whole lap, and until when they rest before the next one. Each tick begins without any. */
type Idle = Map<string, number>

/** One transaction of one trigger of each team, then of the next trigger of each, until nothing is left that could start. */
export const startDeliveries: Tick = async ({ context, signal }) => {
  if (!(await lookFor(context, asked)).any) return
  const rests = restsOf(context)
  const laps = new Map<string, Lap>()
  const idle: Idle = new Map()
  const lines = new Map<string, Line>()
  for (;;) {
    let hasMoved = false
    let hasPassed = false
    const ready = [...lines].filter(([, { isOver }]) => isOver)
    const now = performance.now()
    const isAtRest = (teamId: string): boolean => (idle.get(teamId) ?? 0) > now
    const places = [
      ...[...laps].map(([teamId, { place }]): [string, string] => [teamId, place]),
      ...[...idle.keys()].filter(isAtRest).map((teamId): [string, string] => [teamId, behindAll]),
    ]
    for (const { team_id, trigger_id, is_due } of await nextOfEachTeam(context, places, resting(rests))) {
      if (signal.aborted) return
      const lap = laps.get(team_id)
      if (trigger_id === null) {
        // behind its last trigger comes its first
        laps.delete(team_id)
        if (lap?.hasVisited) hasMoved = true
        else if (!isAtRest(team_id)) idle.set(team_id, performance.now() + restMs)
      } else if (!is_due || mayGo(context, lines, team_id)) {
        laps.set(team_id, { place: trigger_id, hasVisited: is_due || lap?.hasVisited === true })
        if (is_due) {
          idle.delete(team_id)
          rests.set(trigger_id, performance.now() + (await startSome(context, { team_id, trigger_id })))
        }
        // more laps of idle teams keep no tick going: of two such teams one might always be under way
        if (idle.has(team_id)) hasPassed = true
        else hasMoved = true
      }
    }
    if (hasMoved) continue
    // their turn came, and nothing of them waits any more
    for (const [teamId] of ready) lines.delete(teamId)
    if (lines.size === 0 || signal.aborted) return
    if (!hasPassed) await Promise.race([pass(lookAgainMs), ...[...lines.values()].map(({ turn }) => turn)])
  }
}

/** Triggers that could not proceed when this process asked, and until when it leaves them alone. */
const restsOf = runningPart('rests of triggers', () => new Map<string, number>())

function resting(rests: Map<string, number>): string[] {
  const now = performance.now()
  for (const [triggerId, until] of rests) if (until <= now) rests.delete(triggerId)
  return [...rests.keys()]
}

/** A team that used more than its share of this process. */
interface Line {
  /** Resolves when its turn has come. */
  turn: Promise<void>
  isOver: boolean
}

/** A team that must wait holds up no other. */
function mayGo(context: Context, lines: Map<string, Line>, teamId: string): boolean {
  const line = lines.get(teamId)
  if (line) return line.isOver && lines.delete(teamId)
  const turn = teamTimeOf(context).turn(teamId)
  if (!turn) return true
  const begun: Line = { isOver: false, turn: turn.then(() => void (begun.isOver = true)) }
  lines.set(teamId, begun)
  return false
}

interface Waiting {
  team_id: string
  trigger_id: string
}

/** Runs one transaction; answers for how long the trigger is left alone then. */
async function startSome(context: Context, waiting: Waiting): Promise<number> {
  try {
    return await inTransaction(context, waiting, batchMax)
  } catch (error) {
    if (isPassing(error)) throw error
    context.log.error(
      { err: error, trigger_id: waiting.trigger_id },
      'could not start what came in for a trigger; trying one at a time',
    )
    return startAlone(context, waiting)
  }
}

/** A delivery that cannot be started must not delay the others: it fails, with a word that leads to the log. */
async function startAlone(context: Context, waiting: Waiting): Promise<number> {
  const { trigger_id, team_id } = waiting
  try {
    return await inTransaction(context, waiting, 1)
  } catch (error) {
    if (isPassing(error)) throw error
    context.log.error({ err: error, trigger_id }, 'could not start a delivery of a trigger; it has failed')
    await context.db.sql`
      update trigger_deliveries set state = 'failed', reason = 'The server failed to start it. Replay it; if it fails again, ask the operator.',
        settled_at = now()
      where id = (
        select id from trigger_deliveries where trigger_id = ${trigger_id} and team_id = ${team_id} and state = 'waiting' order by n limit 1)
        and team_id = ${team_id} and state = 'waiting'`
    return 0
  }
}

/** Waits only shortly for what others have locked, such as the slots of the team: other teams have their turn meanwhile. */
async function inTransaction(context: Context, { trigger_id, team_id }: Waiting, max: number): Promise<number> {
  const { db, log } = context
  try {
    return await retryingDeadlocks(async () => {
      const minute = eventMinuteOf(context, trigger_id)
      let restsMs = 0
      const isDone = await withShortLock(db, async (sql) => {
        restsMs = await settleSome(context, sql, trigger_id, max, minute)
      })
      if (!isDone) {
        log.warn({ team_id, trigger_id }, 'what a trigger needs is locked; what came in for it waits for a later turn')
        return restMs
      }
      minute.committed()
      return restsMs
    })
  } catch (error) {
    if (isConnectionTrouble(error) || !isPassing(error)) throw error
    log.warn({ err: error, team_id, trigger_id }, 'deadlocks undid the turn of a trigger; it has another one later')
    return restMs
  }
}
