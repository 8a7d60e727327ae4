// The hostile team as a process of its own: it plays every trick at once for a given time and prints the answers that it got.
import { existsSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startProgram } from '../processes.ts'
import type { Team } from '../secondTeam.ts'
import { createAttacker, type Trick } from './attacker.ts'
import { evaluatedTricks } from './evaluated.ts'
import { floodTricks } from './floods.ts'
import { fuzzedRequests } from './fuzzedRequests.ts'
import { createRandom } from './random.ts'

export interface AttackOptions {
  baseUrl: string
  team: Team
  forMs: number
  seed: number
  /** Names of tricks; all of them if none are given. */
  only?: string[]
}

/** What one trick got back. */
export interface Played {
  sent: number
  accepted: number
  refused: number
  /** Must be 0: the service reported the caller's mistake as its own. */
  serverErrors: number
  /** No answer, or a broken connection. */
  broken: number
  example?: string
}

/** The priority of the whole session, where Linux shares the processor between sessions first. */
const autogroup = '/proc/self/autogroup'

const tricks: Trick[] = [...evaluatedTricks, ...floodTricks, fuzzedRequests]

/** Resolves when the attack is over. */
export async function startAttack(options: AttackOptions): Promise<Record<string, Played>> {
  const program = await startProgram({
    entry: fileURLToPath(import.meta.url),
    args: [JSON.stringify(options)],
    readySign: '\n',
    hasOwnSession: true,
  })
  await program.exited
  return JSON.parse(program.box) as Record<string, Played>
}

async function attack({ baseUrl, team, forMs, seed, only }: AttackOptions): Promise<Record<string, Played>> {
  const over = new AbortController()
  const deadline = performance.now() + forMs
  const chosen = tricks.filter(({ name }) => !only || only.includes(name))
  const played = await Promise.all(
    chosen.map(async (trick, index) => {
      const attacker = createAttacker({ baseUrl, team, random: createRandom(seed + index) }, over.signal)
      const counts: Played = { sent: 0, accepted: 0, refused: 0, serverErrors: 0, broken: 0 }
      const act = await trick.prepare(attacker)
      const caller = async () => {
        while (performance.now() < deadline) {
          await play(() => act(counts.sent++), counts)
          await sleep(trick.everyMs)
        }
      }
      await Promise.all(Array.from({ length: trick.atOnce }, caller))
      return [trick.name, counts] as const
    }),
  )
  over.abort()
  return Object.fromEntries(played)
}

async function play(act: () => Promise<{ status: number; body: unknown } | undefined>, counts: Played): Promise<void> {
  try {
    const reply = await act()
    if (!reply) counts.sent -= 1
    else if (reply.status >= 500) {
      counts.serverErrors += 1
      counts.example ??= JSON.stringify(reply).slice(0, 300)
    } else if (reply.status >= 400) counts.refused += 1
    else counts.accepted += 1
  } catch (error) {
    counts.broken += 1
    counts.example ??= String(error)
  }
}

if (import.meta.main) {
  // attackers have machines of their own: here they get the processor time that the service leaves
  setPriority(19)
  if (existsSync(autogroup)) writeFileSync(autogroup, '19')
  const played = await attack(JSON.parse(process.argv[2]!) as AttackOptions)
  process.stdout.write(`${JSON.stringify(played)}\n`, () => process.exit(0))
}
