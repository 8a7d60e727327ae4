// Decides whose body is read and parsed next: the memory that one team's large bodies hold is bounded, and it parses one at a time.
import { runningPart } from './runningPart.ts'
import { teamTimeOf, type TeamTime } from './teamTime.ts'
import { createTurnLine, type TurnLine } from './turnLine.ts'

/** A smaller body never waits: the rate limit bounds what such bodies cost. */
const smallBytes = 16 * 1024
/** How many bytes the large bodies of one team may hold before they are parsed or stored, in one process. One body is always let in. */
const heldBytesMax = 64 * 1024 * 1024
/** The same for bodies that nobody has proved yet. */
const unprovedBytesMax = 16 * 1024 * 1024

export interface BodyTurn {
  /** Resolves when it is this body's turn to be parsed. */
  toParse(): Promise<void>
  /** Reports that the body was parsed and checked, in this many milliseconds. */
  parsed(ms: number): void
  /** Reports that the body is not needed any more, and how many bytes of it came: all unless given. A second call does nothing. */
  leave(came?: number): void
}

export interface BodyOwner {
  team_id: string
  /** The credential, or the address of a sender who has none. Senders of one team take turns. */
  sender: string
  /** Only the body itself can prove who sends it. Such bodies have a line of their own, so that strangers hold up no caller. */
  isUnproved?: boolean
}

export interface BodyTurns {
  /** Resolves when the body may be read. `bytes` is the announced size, or the largest that is allowed. */
  enter(owner: BodyOwner, bytes: number): Promise<BodyTurn>
}

interface Waiting {
  bytes: number
  go: () => void
}

interface Bodies {
  bytesMax: number
  heldBytes: number
  count: number
  isParsing: boolean
  reading: TurnLine<Waiting>
  parsing: TurnLine<Waiting>
}

export function createBodyTurns(time: TeamTime): BodyTurns {
  const callers = new Map<string, Bodies>()
  const strangers = new Map<string, Bodies>()

  function bodiesOf(byTeam: Map<string, Bodies>, teamId: string): Bodies {
    let bodies = byTeam.get(teamId)
    if (!bodies) {
      const bytesMax = byTeam === strangers ? unprovedBytesMax : heldBytesMax
      bodies = {
        bytesMax,
        heldBytes: 0,
        count: 0,
        isParsing: false,
        reading: createTurnLine(),
        parsing: createTurnLine(),
      }
      byTeam.set(teamId, bodies)
    }
    return bodies
  }

  /** Lets every body continue that may continue now. */
  function advance(bodies: Bodies): void {
    for (let next = bodies.reading.first(); next; next = bodies.reading.first()) {
      if (bodies.heldBytes > 0 && bodies.heldBytes + next.bytes > bodies.bytesMax) break
      bodies.heldBytes += next.bytes
      bodies.reading.take()?.go()
    }
    if (bodies.isParsing || bodies.parsing.isEmpty()) return
    bodies.isParsing = true
    bodies.parsing.take()?.go()
  }

  async function enterLarge({ team_id, sender, isUnproved }: BodyOwner, bytes: number): Promise<BodyTurn> {
    const byTeam = isUnproved ? strangers : callers
    const bodies = bodiesOf(byTeam, team_id)
    bodies.count += 1
    let state: 'held' | 'parsing' | 'left' = 'held'
    const waitIn = (line: TurnLine<Waiting>) =>
      new Promise<void>((go) => {
        line.add(sender, { bytes, go })
        advance(bodies)
      })
    await waitIn(bodies.reading)
    return {
      async toParse() {
        await waitIn(bodies.parsing)
        state = 'parsing'
        await time.turn(team_id)
      },
      parsed: (ms) => time.usedThread(team_id, ms),
      leave(came = bytes) {
        if (state === 'left') return
        time.moved(team_id, came)
        if (state === 'parsing') bodies.isParsing = false
        state = 'left'
        bodies.heldBytes -= bytes
        bodies.count -= 1
        advance(bodies)
        if (bodies.count === 0) byTeam.delete(team_id)
      },
    }
  }

  return {
    async enter(owner, bytes) {
      if (bytes > smallBytes) return enterLarge(owner, bytes)
      const parsed = (ms: number) => time.usedThread(owner.team_id, ms)
      return { toParse: async () => undefined, parsed, leave: () => undefined }
    },
  }
}

/** The turns of this process. */
export const bodyTurnsOf = runningPart('body turns', (context) => createBodyTurns(teamTimeOf(context)))
