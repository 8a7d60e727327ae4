// Decides whose body is read and parsed next: the memory that one team's large bodies hold is bounded, and it parses one at a time.
import { runningPart } from './runningPart.ts'
import { teamTimeOf, type TeamTime } from './teamTime.ts'
import { createTurnLine, type TurnLine } from './turnLine.ts'

/** A smaller body never waits: the rate limit bounds what such bodies cost. */
const smallBytes = 16 * 1024
/** How many bytes the large bodies of one team may hold before they are parsed or stored, in one process. One body is always let in. */
const heldBytesMax = 64 * 1024 * 1024

export interface BodyTurn {
  /** Resolves when it is this body's turn to be parsed. */
  toParse(): Promise<void>
  /** Reports that the body was parsed and checked, in this many milliseconds. */
  parsed(ms: number): void
  /** Reports that the body is not needed any more. A second call does nothing. */
  leave(): void
}

export interface BodyOwner {
  team_id: string
  /** The credential, or the address of a sender who has none. Senders of one team take turns. */
  sender: string
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
  heldBytes: number
  count: number
  isParsing: boolean
  reading: TurnLine<Waiting>
  parsing: TurnLine<Waiting>
}

export function createBodyTurns(time: TeamTime): BodyTurns {
  const byTeam = new Map<string, Bodies>()

  function bodiesOf(teamId: string): Bodies {
    let bodies = byTeam.get(teamId)
    if (!bodies) {
      bodies = { heldBytes: 0, count: 0, isParsing: false, reading: createTurnLine(), parsing: createTurnLine() }
      byTeam.set(teamId, bodies)
    }
    return bodies
  }

  /** Lets every body continue that may continue now. */
  function advance(bodies: Bodies): void {
    for (let next = bodies.reading.first(); next; next = bodies.reading.first()) {
      if (bodies.heldBytes > 0 && bodies.heldBytes + next.bytes > heldBytesMax) break
      bodies.heldBytes += next.bytes
      bodies.reading.take()?.go()
    }
    if (bodies.isParsing || bodies.parsing.isEmpty()) return
    bodies.isParsing = true
    bodies.parsing.take()?.go()
  }

  async function enterLarge({ team_id, sender }: BodyOwner, bytes: number): Promise<BodyTurn> {
    const bodies = bodiesOf(team_id)
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
      leave() {
        if (state === 'left') return
        time.moved(team_id, bytes)
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
