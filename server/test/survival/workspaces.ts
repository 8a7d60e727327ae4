// Proof: workers killed in the middle of file work; whoever goes on has the same workspace, byte for byte, as the last committed step left.
import { setTimeout as sleep } from 'node:timers/promises'
import { Killing } from '../../src/drill/killing.ts'
import { openYard, activeRuns, block, bodyOf, untilQuiet, type Yard } from './yard.ts'
import type { Proof } from './proof.ts'

export interface KilledFileWork {
  runs: number
  completed: number
  /** Must be 0: did not end. */
  lost: number
  kills: number
  /** Kills that found a command between its intent and its result. */
  killsBetween: number
  /** Commands whose result is committed, and those of them that were made more than once. */
  commands: number
  repeated: number
  /** Must be 0. */
  failed: number
  firstFailure: object | null
  /** Must be 0: began with other files than the command before it left. */
  changedBetween: number
  /** Must be 0: workspaces that another process laid out otherwise than the last command left them. */
  changedAfter: number
  takeoverP50Ms: number
  takeoverP99Ms: number
}

interface Options {
  runs: number
  atOnce: number
  steps: number
  /** Nobody is killed any more once there were so many kills, and so many of them between an intent and its result. */
  kills: number
  killsBetween: number
  /** Between two kills, at most. */
  pauseMs: number
}

/** Names, kinds and bytes of everything there is. */
const digest = `digest() { { find . | sort; find . -type f | sort | xargs sha256sum; } | sha256sum | cut -c1-64; }`

/** Appends, rewrites, makes, removes; the sleep is when most of the killing falls. */
const work = (step: number) =>
  [
    digest,
    'before=$(digest)',
    `echo ${step} >> log; seq 1 ${1000 * step} > big; cat log >> big`,
    `mkdir -p empty${step} kept/${step}; rm -rf empty${step - 1}; echo "$before" > kept/${step}/before`,
    'sleep 0.2',
    'echo "$before $(digest)"',
  ].join('\n')

export async function killFileWork(
  yard: Yard,
  { runs, atOnce, steps, kills, killsBetween, pauseMs }: Options,
): Promise<KilledFileWork> {
  const blocks = Array.from({ length: steps }, (_, index) => block('bash', work(index + 1)))
  const agentId = await yard.newAgent([...blocks, block('output', 'done')].join('\n'))
  const killing = new Killing(yard)
  const started: string[] = []
  const isKilling = () => killing.kills < kills || killing.killsBetween < killsBetween
  const feed = async () => {
    while (started.length < runs || isKilling()) {
      const room = Math.max(0, atOnce - (await activeRuns(yard)))
      const fresh = Array.from({ length: room }, () => yard.startRun(agentId).then((id) => started.push(id)))
      await Promise.all(fresh)
      await sleep(50)
    }
  }
  const kill = async () => {
    while (isKilling()) {
      await sleep(Math.random() * pauseMs)
      await killing.killOne({ atCall: true })
    }
  }
  await Promise.all([feed(), kill()])
  const lost = await untilQuiet(yard)
  await killing.ended()
  const { takeoverP50Ms, takeoverP99Ms } = killing.takeoverTimes()
  const told = await yard.sql<{ run_id: string; attempt: number; stdout: string }>`
    select run_id, attempt, result ->> 'stdout' as stdout from run_steps
    where tool = 'sandbox_exec' and state = 'done' order by run_id, seq`
  const failed = await yard.sql<{ error: string | null; state: string }>`
    select state, error from run_steps where tool = 'sandbox_exec' and state <> 'done'`
  const byRun = [...Map.groupBy(told, ({ run_id }) => run_id).values()]
  return {
    runs: started.length,
    completed: await completedOf(yard),
    lost,
    kills: killing.kills,
    killsBetween: killing.killsBetween,
    commands: told.length,
    failed: failed.length,
    firstFailure: failed[0] ?? null,
    repeated: told.filter(({ attempt }) => attempt > 1).length,
    changedBetween: byRun.reduce((sum, commands) => sum + changesBetween(commands.map(({ stdout }) => stdout)), 0),
    changedAfter: await changedAfter(yard, byRun),
    takeoverP50Ms,
    takeoverP99Ms,
  }
}

const digestsOf = (stdout: string): string[] => stdout.trim().split(' ')

function changesBetween(outputs: string[]): number {
  return outputs.filter((output, index) => index > 0 && digestsOf(output)[0] !== digestsOf(outputs[index - 1]!)[1])
    .length
}

async function completedOf({ sql }: Yard): Promise<number> {
  const [row] = await sql<{ count: string }>`select count(*) from runs where status = 'completed'`
  return Number(row!.count)
}

/** Looked at by a command of a caller, which whatever worker runs. */
async function changedAfter(yard: Yard, byRun: { run_id: string; stdout: string }[][]): Promise<number> {
  let changed = 0
  for (const commands of byRun) {
    const last = commands.at(-1)!
    const run = bodyOf(await yard.call({ path: `/v2/runs/${last.run_id}` }))['run'] as { sandbox_id: string }
    const path = `/v2/sandboxes/${run.sandbox_id}/exec`
    const { stdout } = bodyOf(await yard.call({ method: 'POST', path, body: { command: `${digest}\ndigest` } }))
    if ((stdout as string).trim() !== digestsOf(last.stdout)[1]) changed += 1
  }
  return changed
}

export const isKept = (seen: KilledFileWork): boolean =>
  seen.lost === 0 &&
  seen.failed === 0 &&
  seen.completed === seen.runs &&
  seen.changedBetween === 0 &&
  seen.changedAfter === 0

export const workspaceProof: Proof = {
  name: 'workspaces: kill -9 of the worker in the middle of file work',
  must: 'every workspace byte for byte as the last committed command left it, >= 50 kills between intent and result, 0 runs lost',
  async run(dataDir) {
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error' } } })
    try {
      const sizes = { runs: 150, atOnce: 8, steps: 6, kills: 200, killsBetween: 50, pauseMs: 1500 }
      const counts = await killFileWork(yard, sizes)
      return { counts, holds: isKept(counts) && counts.killsBetween >= 50 }
    } finally {
      await yard.close()
    }
  },
}
