// A service whose team has worked for 90 days: so many runs, counted, folded and analysed as they would be by then.
import { Client } from 'pg'
import { openDatabase, sqlOn, type Database } from '../server/src/base/db.ts'
import { createLog } from '../server/src/base/log.ts'
import { foldRunCounts } from '../server/src/engine/counting/runCounts.ts'
import { seedRuns } from '../server/test/kit/seedRuns.ts'
import type { Bed } from './interleave.ts'
import { startService, type DataDir, type Service } from './service.ts'

/** A service with so many runs of one team. */
export interface ManyRuns {
  service: Service
  db: Database
  runs: number
  agents: { id: string; buildId: string }[]
  users: string[]
  queues: string[]
}

const newIds = (count: number) => Array.from({ length: count }, () => crypto.randomUUID())

export async function startWithRuns(bed: Bed, dataDir: DataDir, runs: number): Promise<ManyRuns> {
  const service = await startService(dataDir)
  const agents: ManyRuns['agents'] = []
  for (let n = 1; n <= 20; n++) {
    const made = await post(service, `/v2/teams/${service.teamId}/agents`, { name: `Agent ${n}` })
    agents.push({ id: made['agent_id']!, buildId: made['build_id']! })
  }
  const db = openDatabase({ address: () => service.databaseUrl, log: createLog('warn') })
  const side: ManyRuns = { service, db, runs, agents, users: newIds(8), queues: newIds(5) }
  await seed(bed, side)
  return side
}

/** The rows of a team after 90 days, folded and analysed as a service that lives so long would have them. */
async function seed(bed: Bed, { service, db, runs, agents, users, queues }: ManyRuns): Promise<void> {
  const startedAt = performance.now()
  const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`
  const client = new Client({ connectionString: service.databaseUrl })
  await client.connect()
  try {
    await seedRuns(sqlOn(client), { teamId: service.teamId, agents, users, queues, runs }, (made) => {
      if (made % 200_000 === 0) bed.tell(`${made} runs after ${seconds()}`)
    })
    bed.tell(`${runs} runs seeded in ${seconds()}`)
    await foldRunCounts(db)
    bed.tell(`counts folded after ${seconds()}`)
    for (const table of ['runs', 'run_search', 'run_counts', 'run_origin_counts', 'run_count_deltas']) {
      await client.query(`vacuum analyze ${table}`)
    }
  } finally {
    await client.end()
  }
}

async function post(service: Service, path: string, body: object): Promise<Record<string, string>> {
  const answer = await fetch(`http://${service.host}:${service.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} gave ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Record<string, string>
}
