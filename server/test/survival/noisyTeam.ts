// Proof: a team that starts a hundred times its share does not keep another team's runs from starting.
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile, send } from './processes.ts'
import { createTeam } from './secondTeam.ts'
import { block, bodyOf, untilQuiet, type Yard } from './yard.ts'

export interface Noise {
  noisyRuns: number
  quietRuns: number
  /** Runs of the noisy team that stood in line, at the most. */
  noisyInLineMax: number
  /** From the acknowledged start of a quiet team's run to its first step. */
  quietP50Ms: number
  quietP99Ms: number
  quietMaxMs: number
  /** Must be 0. */
  notCompleted: number
}

interface Options {
  noisyRuns: number
  quietRuns: number
  /** Between two starts of the quiet team. */
  everyMs: number
}

export async function startNoise(yard: Yard, options: Options): Promise<Noise> {
  const { sql, counter } = yard
  const noisyAgent = await yard.newAgent(
    `${block('http', `GET ${counter.url}/ms/300/noise`)}\n${block('output', 'done')}`,
  )
  const quiet = await secondTeam(yard)
  let inLineMax = 0

  async function noise(): Promise<void> {
    let next = 0
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        while (next++ < options.noisyRuns) await yard.startRun(noisyAgent)
      }),
    )
  }

  async function speakQuietly(): Promise<void> {
    for (let n = 0; n < options.quietRuns; n++) {
      await quiet.startRun()
      const [line] = await sql<{ most: number }>`select max(in_line) as most from admission`
      inLineMax = Math.max(inLineMax, line!.most)
      await sleep(options.everyMs)
    }
  }

  await Promise.all([noise(), speakQuietly()])
  await untilQuiet(yard)
  const waits = await sql<{ ms: number }>`
    select (extract(epoch from started_at - created_at) * 1000)::float8 as ms from runs where team_id = ${quiet.teamId}`
  const completed = await sql`
    select id from runs where (agent_id = ${noisyAgent} or team_id = ${quiet.teamId}) and status = 'completed'`
  const waitedMs = waits.map(({ ms }) => Math.round(ms))
  return {
    noisyRuns: options.noisyRuns,
    quietRuns: waits.length,
    noisyInLineMax: inLineMax,
    quietP50Ms: percentile(waitedMs, 50),
    quietP99Ms: percentile(waitedMs, 99),
    quietMaxMs: Math.max(...waitedMs),
    notCompleted: options.noisyRuns + options.quietRuns - completed.length,
  }
}

async function secondTeam(yard: Yard): Promise<{ teamId: string; startRun: () => Promise<void> }> {
  const { teamId, key } = await createTeam(yard.env, 'Quiet')
  const { baseUrl } = yard.apis[0]!
  const config = { version: 'v2', data: { input: block('output', 'done') } }
  const post = async (path: string, body: object) => bodyOf(await send(baseUrl, { method: 'POST', path, key, body }))
  const { agent_id } = await post(`/v2/teams/${teamId}/agents`, { name: 'Quiet', build: { config } })
  return { teamId, startRun: async () => void (await post(`/v2/teams/${teamId}/runs`, { agent_id })) }
}
