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
    await client.query(usedModels, [profile.team_id, Object.values(agents)])
    await client.query(evaluated, [profile.team_id])
    await client.query(evaluationCounts, [profile.team_id])
    await client.query(marked, [profile.team_id, profile.id])
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

/** What models cost in the last month: less on weekends, and one agent more than the others. */
const usedModels = `
  insert into usage_days (team_id, day, agent_id, model, purpose, runs, completed, failed, stopped, active_ms, calls, input_tokens, output_tokens,
    cost_usd, unsettled_calls, unsettled_usd, deliveries, sandbox_bytes)
  select $1::uuid, day, agent, model, 'run', 0, 0, 0, 0, 0, calls, calls * 5200, calls * 640, round((calls * price)::numeric, 4), 0, 0, 0, 0
  from (
    select day::date as day, agent, model, price,
      (extract(isodow from day) between 1 and 5)::int * 20 + ((hashtextextended(agent::text || day::text, 7) & 2147483647) % 40) / nth as calls
    from generate_series((now() at time zone 'utc')::date - 29, (now() at time zone 'utc')::date, interval '1 day') day,
      unnest($2::uuid[]) with ordinality as a (agent, nth),
      (values ('anthropic:claude-sonnet-4-5', 0.0252), ('openai:gpt-5-mini', 0.0026)) m (model, price)
    where nth <= 5 and (nth + length(model)) % 2 = 0
  ) used
  where calls > 0
  on conflict do nothing`

/** Each ended run as the checks found it: failed ones did not end by themselves, and a few others repeated a call. */
const evaluated = `
  insert into evaluations (id, team_id, agent_id, build_id, run_id, source, status, run_ended_at, failed, results, score, counts)
  select gen_random_uuid(), team_id, agent_id, build_id, id, 'run_end', 'ready', completed_at, flags, (
      select coalesce(jsonb_agg(jsonb_build_object('flag', f, 'label', case f when 'ended_by_itself' then 'Ended by itself' else 'No call was repeated' end,
        'passed', false, 'severity', case f when 'ended_by_itself' then 'critical' else 'low' end, 'comment', null, 'evidence', '[]'::jsonb)), '[]')
      from unnest(flags) f),
    round(1 - cardinality(flags) / 6.0, 5), true
  from (
    select r.*, case when status = 'failed' then '{ended_by_itself}'::text[] else '{}' end
      || case when ${dice(100, 11)} < 6 then '{no_repeated_calls}'::text[] else '{}' end as flags
    from runs r where ${seeded} and completed_at is not null and status in ('completed', 'failed') and team_id = $1
  ) ended`

const evaluationCounts = `
  insert into eval_counts (team_id, agent_id, build_id, hour, flag, evaluated, with_issues)
  select team_id, agent_id, build_id, run_hour(run_ended_at), c.flag, sum(c.evaluated), sum(c.with_issues)
  from evaluations e, lateral (
    select 'all' as flag, 1 as evaluated, (cardinality(e.failed) > 0)::int as with_issues
    union all select u.flag, 0, 1 from unnest(e.failed) as u (flag)) c
  where team_id = $1 and e.run_id in (select id from runs where ${seeded}) group by 1, 2, 3, 4, 5`

/** One person agrees with most of what was found. */
const marked = `
  insert into run_marks (run_id, member_id, team_id, agent_id, verdict, note)
  select run_id, $2, team_id, agent_id, case when (cardinality(failed) = 0) = (n % 9 <> 0) then 'good' else 'bad' end,
    case when n % 9 = 0 and cardinality(failed) = 0 then 'The price is of another article.' end
  from (select *, row_number() over (partition by agent_id order by run_ended_at desc) as n from evaluations where team_id = $1) e
  where n <= 40 on conflict do nothing`
