// Proof: runs share commits, and what becomes of one is no matter to the others: stops at a high rate fail, delay or doubt none of them.
import { setTimeout as sleep } from 'node:timers/promises'
import { compareCalls, readLedger, type Calls, type Ledger } from '../../src/drill/ledger.ts'
import { block, bodyOf, untilQuiet, type Yard } from './yard.ts'

export interface Neighbours extends Ledger, Calls {
  stops: number
  /** Runs that nobody stopped. */
  runs: number
  /** Must be all of them. */
  completed: number
  /** Must be 0: of their calls, those that somebody had to be asked about. */
  inDoubt: number
}

interface Options {
  runs: number
  forMs: number
}

const writes = (count: number) =>
  Array.from({ length: count }, (_, n) => block(`memory path=${n % 5}.md`, `write ${n}`)).join('\n')

/** So many lanes start a run, stop it a moment later, and so on. */
const stoppers = 6

export async function stopNeighbours(yard: Yard, { runs, forMs }: Options): Promise<Neighbours> {
  const { sql, counter } = yard
  const call = block('http', `POST ${counter.url}/ms/20/pay\n\nonce`)
  const steady = await yard.newAgent([writes(20), call, writes(20), call, writes(20)].join('\n'))
  const stopped = await yard.newAgent(writes(200))
  const ids = await Promise.all(Array.from({ length: runs }, () => yard.startRun(steady)))
  const deadline = performance.now() + forMs
  let stops = 0
  await Promise.all(
    Array.from({ length: stoppers }, async () => {
      while (performance.now() < deadline) {
        const id = await yard.startRun(stopped)
        await sleep(Math.random() * 60)
        bodyOf(await yard.call({ method: 'POST', path: `/v2/runs/${id}/stop` }))
        stops += 1
      }
    }),
  )
  await untilQuiet(yard)
  const completed = await sql`select id from runs where id = any(${ids}::uuid[]) and status = 'completed'`
  const asked = await sql`select id from human_requests where run_id = any(${ids}::uuid[])`
  return {
    stops,
    runs,
    completed: completed.length,
    inDoubt: asked.length,
    ...(await compareCalls(sql, await counter.arrivals())),
    ...(await readLedger(sql)),
  }
}
