// Proof: many runs that start runs, wait for them and go on, some stopped on the way, never stand in each other's way.
import { setTimeout as sleep } from 'node:timers/promises'
import { readLedger, type Ledger } from '../../src/drill/ledger.ts'
import { block, bodyOf, untilQuiet, type Yard } from './yard.ts'

export interface SubRuns extends Ledger {
  runs: number
  stops: number
  completed: number
  stopped: number
  /** Must be 0: failed, or did not end. */
  otherwise: number
  /** Must be 0: transactions that PostgreSQL had to end because they waited for each other. */
  deadlocks: number
}

interface Options {
  runs: number
  /** Of a hundred, so many are stopped soon after their start. */
  stopped: number
}

const children = 4
const atOnce = 16

export async function runSubRuns(yard: Yard, options: Options): Promise<SubRuns> {
  const brief = `${block('memory path=last.md', 'x')}\n${block('output', 'done')}`
  const child = await yard.newAgent(brief, {}, 'Brief')
  const procedure = [
    ...Array.from({ length: children }, () => block('agent name=Brief', 'do it')),
    block('output', 'all'),
  ]
  const agentId = await yard.newAgent(procedure.join('\n'), { subAgents: [child], plugins: ['agents'] })
  let next = 0
  let stops = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next++ < options.runs) {
        const id = await yard.startRun(agentId)
        if (Math.random() * 100 >= options.stopped) continue
        await sleep(Math.random() * 300)
        bodyOf(await yard.call({ method: 'POST', path: `/v2/runs/${id}/stop` }))
        stops += 1
      }
    }),
  )
  await untilQuiet(yard)
  const runs = await yard.sql<{ status: string }>`select status from runs`
  const count = (wanted: string) => runs.filter(({ status }) => status === wanted).length
  const [database] = await yard.sql<{ deadlocks: string }>`
    select deadlocks from pg_stat_database where datname = current_database()`
  return {
    runs: runs.length,
    stops,
    completed: count('completed'),
    stopped: count('stopped'),
    otherwise: runs.length - count('completed') - count('stopped'),
    deadlocks: Number(database!.deadlocks),
    ...(await readLedger(yard.sql)),
  }
}
