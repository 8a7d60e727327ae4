// Artifacts: how long a refresh of each built-in page takes for a team with a million runs, and how long a PDF of ten pages takes.
import { Client } from 'pg'
import { openDatabase, sqlOn } from '../server/src/base/db.ts'
import { createLog } from '../server/src/base/log.ts'
import { foldRunCounts } from '../server/src/engine/counting/runCounts.ts'
import { templates } from '../server/src/features/artifacts/templates/index.ts'
import { seedRuns } from '../server/test/kit/seedRuns.ts'
import { makeAgent } from './agent.ts'
import { post } from './calls.ts'
import { median, type Bed } from './interleave.ts'
import { query } from './pair.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import type { Row } from './table.ts'

/** BENCH_RUNS makes it smaller where time is short; the table then says so. */
const runs = Number(process.env['BENCH_RUNS'] ?? 1_000_000)
const refreshMaxMs = 1000
const rounds = 7

export async function artifacts(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const service = await startService(dataDir)
  try {
    await seed(bed, service)
    const rows: Row[] = [
      { what: `a refresh of a built-in page, ${runs} runs, ms from start to end`, ours: '', floor: '' },
    ]
    for (const { name, procedure } of templates) {
      // a page without steps has nothing to fetch
      const steps = procedure.match(/^```tool/gm)?.length ?? 0
      if (steps === 0) continue
      const made = await post(service, '/v2/artifacts', { message: 'Measured', template: name })
      const artifactId = made.artifact_id as string
      const first = await untilShown(service, artifactId)
      const times: number[] = []
      for (let n = 0; n < rounds; n++) {
        await post(service, `/v2/artifacts/${artifactId}/refresh`, {})
        times.push(await untilShown(service, artifactId))
      }
      bed.tell(`${name}: the first time ${first} ms, then ${times.join(', ')}`)
      rows.push({
        what: `  ${name}, ${steps} steps`,
        ours: `${median(times)} (first ${first}, at most ${Math.max(...times)})`,
        floor: '',
        target: `≤ ${refreshMaxMs} ms`,
        met: Math.max(first, ...times) <= refreshMaxMs,
      })
    }
    rows.push(...(await pdfOfTenPages(bed, service)))
    return rows
  } finally {
    await service.stop()
  }
}

interface Ended {
  status: string
  ms: number
}

/** Waits for the end of the work on the artifact, and gives how long its run took by its own times, with the page in its commit. */
async function untilShown(service: Service, artifactId: string): Promise<number> {
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    const [run] = await query<Ended>(
      service,
      `select r.status, round(extract(epoch from r.completed_at - r.created_at) * 1000)::int as ms
       from artifacts a join runs r on r.agent_id = a.agent_id
       where a.id = '${artifactId}' and a.run_id is null order by r.created_at desc limit 1`,
    )
    if (run && run.status !== 'completed') throw new Error('the steps of a page failed')
    if (run) return run.ms
  }
  throw new Error('the steps of a page took longer than a minute')
}

const pdfMaxMs = 5000
const pages = 10

/** The first PDF of a process starts its browser; the others find it running. */
async function pdfOfTenPages(bed: Bed, service: Service): Promise<Row[]> {
  const page = `<section style="break-after: page"><h2>A page</h2><p>${'Some words. '.repeat(60)}</p></section>\n`
  const message = `\`\`\`html\n${page.repeat(pages)}\`\`\`\n`
  const made = await post(service, '/v2/artifacts', { message, title: 'Ten pages' })
  await untilShown(service, made.artifact_id as string)
  const times: number[] = []
  let count = 0
  for (let n = 0; n < 4; n++) {
    const startedAt = performance.now()
    const answer = await fetch(
      `http://${service.host}:${service.port}/v2/artifacts/${made.artifact_id as string}/export/pdf`,
      {
        headers: { authorization: `Bearer ${service.apiKey}` },
      },
    )
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (answer.status !== 200) return [{ what: `a PDF of ${pages} pages`, ours: bytes.toString(), floor: '' }]
    times.push(Math.round(performance.now() - startedAt))
    count = bytes.toString('latin1').match(/\/Type\s*\/Page[^s]/g)?.length ?? 0
  }
  bed.tell(`PDF of ${count} pages: ${times.join(', ')} ms`)
  return [
    {
      what: `a PDF of ${count} pages, ms`,
      ours: `${median(times.slice(1))} (first ${times[0]}, at most ${Math.max(...times)})`,
      floor: '',
      target: `≤ ${pdfMaxMs} ms`,
      met: Math.max(...times) <= pdfMaxMs && count >= pages,
    },
  ]
}

const newIds = (count: number) => Array.from({ length: count }, () => crypto.randomUUID())

/** The rows of a team after 90 days, folded and analysed as a service that lives so long would have them. */
async function seed(bed: Bed, service: Service): Promise<void> {
  const startedAt = performance.now()
  const tell = (what: string) => bed.tell(`${what} after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  const agentIds: string[] = []
  for (let n = 0; n < 20; n++) agentIds.push(await makeAgent(service, 'Do it.'))
  const builds = await query<{ id: string; agent_id: string }>(
    service,
    `select id, agent_id from builds where status = 'live'`,
  )
  const agents = builds
    .filter(({ agent_id }) => agentIds.includes(agent_id))
    .map(({ id, agent_id }) => ({ id: agent_id, buildId: id }))
  const [member] = await query<{ id: string }>(service, 'select member_id as id from api_keys limit 1')
  const queues = newIds(10)
  const client = new Client({ connectionString: service.databaseUrl })
  await client.connect()
  const db = openDatabase({ address: () => service.databaseUrl, log: createLog('warn') })
  try {
    const wanted = { teamId: service.teamId, agents, users: [member!.id], queues, runs }
    await seedRuns(sqlOn(client), wanted, (made) => {
      if (made % 200_000 === 0) tell(`${made} runs`)
    })
    await foldRunCounts(db)
    tell('counts folded')
    await seedOthers(client, service.teamId, agents, queues)
    await client.query('vacuum analyze')
    tell('all seeded')
  } finally {
    await db.close()
    await client.end()
  }
}

/** 200,000 cases of which one in twenty waits, evaluations of every hour, usage of every day, and 100,000 deliveries. */
async function seedOthers(
  client: Client,
  teamId: string,
  agents: { id: string; buildId: string }[],
  queues: string[],
): Promise<void> {
  const [ids, buildIds] = [agents.map(({ id }) => id), agents.map(({ buildId }) => buildId)]
  await client.query(
    `insert into queues (id, team_id, name) select id, $1, 'Queue ' || n from unnest($2::uuid[]) with ordinality q (id, n)`,
    [teamId, queues],
  )
  await client.query(
    `insert into cases (id, team_id, queue_id, title, data, created_at, display_status, completed_at)
     select gen_random_uuid(), $1, ($2::uuid[])[1 + n % 10], 'Case ' || n, '', now() - n * interval '40 seconds',
       case when n % 20 = 7 then 'pending' else 'completed' end, case when n % 20 <> 7 then now() end
     from generate_series(1, 200000) n`,
    [teamId, queues],
  )
  await client.query(
    `insert into eval_counts (team_id, agent_id, build_id, hour, flag, evaluated, with_issues)
     select $1, a.id, a.build, run_hour(now()) - h, f.flag, case f.flag when 'all' then 20 else 0 end, 2
     from unnest($2::uuid[], $3::uuid[]) a (id, build), generate_series(0, 2160) h,
       unnest(array['all', 'ended_by_itself', 'tool_errors_handled']) f (flag)`,
    [teamId, ids, buildIds],
  )
  await client.query(
    `insert into usage_days (team_id, day, agent_id, model, purpose, calls, input_tokens, output_tokens, cost_usd)
     select $1, (now() at time zone 'utc')::date - d, a, 'provider:model-' || m, 'run', 100, 100000, 10000, 1.25
     from unnest($2::uuid[]) a, generate_series(0, 89) d, generate_series(1, 3) m`,
    [teamId, ids],
  )
  const targets = newIds(5)
  await client.query(
    `insert into delivery_targets (id, team_id, kind, url, events, active)
     select id, $1, 'subscription', 'https://hooks' || n || '.example.com/', '{}', false from unnest($2::uuid[]) with ordinality t (id, n)`,
    [teamId, targets],
  )
  await client.query(
    `insert into deliveries (id, team_id, target_id, event_id, event, created_at, state, settled_at)
     select gen_random_uuid(), $1, ($2::uuid[])[1 + n % 5], gen_random_uuid(), 'run.completed', now() - (100000 - n) * interval '4 seconds',
       case when n % 50 = 0 then 'dead' else 'delivered' end, now()
     from generate_series(1, 100000) n`,
    [teamId, targets],
  )
}
