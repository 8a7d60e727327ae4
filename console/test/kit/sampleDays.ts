// Two days of runs as a team has them: quiet nights, a few failures that mostly belong to one agent, and what each hour cost.
import { Client } from 'pg'
import type { Runyard } from '../../../sdk/src/index.ts'
import { sqlOn } from '../../../server/src/base/db.ts'
import { seedRuns } from '../../../server/test/kit/seedRuns.ts'
import type { SampleData } from './sampleData.ts'

/** Written into the tables at once, so that plots show one day and compare it with the other. */
export async function addDays(databaseUrl: string, runyard: Runyard, { agents }: SampleData): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const found = await Promise.all(
      Object.values(agents).map(async (id) => ({
        id,
        buildId: (await runyard.agents.get(id)).agent.live_build_id ?? '',
      })),
    )
    const { profile } = await runyard.teams.profile()
    await seedRuns(sqlOn(client), {
      teamId: profile.team_id,
      agents: found.filter(({ buildId }) => buildId !== ''),
      users: [profile.id],
      queues: [crypto.randomUUID()],
      runs: 4800,
      // the newest rows of the lists are those of the sample
      until: new Date(Date.now() - 30 * 60_000),
      days: 2,
    })
    for (const shape of shapes(agents)) await client.query(`${shape} and team_id = $1`, [profile.team_id])
  } finally {
    await client.end()
  }
}

/** The same run has the same one each time. */
const dice = (sides: number, which: number): string => `((hashtextextended(title, ${which}) & 2147483647) % ${sides})`
const seeded = `title ~ ' of ticket\\d+$'`
/** From 0 at night to 1 in the early afternoon. */
const busy = `((1 - cos(2 * pi() * (extract(epoch from created_at at time zone 'Europe/Berlin') / 86400 - 0.06))) / 2)`

const shapes = (agents: SampleData['agents']): string[] => [
  // what began hours ago has ended, and most of it well
  `delete from runs where ${seeded} and (${dice(100, 1)} > 15 + 60 * ${busy} or status in ('pending', 'running', 'waiting')
     or (status = 'failed' and ${dice(100, 3)} > case when agent_id = '${agents['Price watch']}' then 85 else 10 end))`,
  `update runs set error = jsonb_set(error, '{code}', case when agent_id = '${agents['Price watch']}' then '"step_failed"'
     else (array['"limit_reached"', '"output_invalid"', '"rejected"'])[1 + ${dice(3, 4)}]::jsonb end)
   where ${seeded} and status = 'failed'`,
  `update runs set cost_usd = round((0.01 + 0.0002 * ${dice(100, 5)})::numeric, 4)
   where ${seeded} and completed_at is not null`,
]
