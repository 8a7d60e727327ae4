// What guardrails add to whole runs: three teams of one service in turn, one without any, one with every rule about calls, one with bounds of a day too.
import { Client } from 'pg'
import { sqlOn } from '../server/src/base/db.ts'
import { issueApiKey } from '../server/src/features/credentials/apiKey.ts'
import { createTeam } from '../server/src/features/teams/team.ts'
import { post, put } from './calls.ts'
import { costsOf, type Costs } from './costs.ts'
import { allowLoopback } from './deliveries.ts'
import { connections, median, type Bed } from './interleave.ts'
import { startRunLoop, type RunLoop } from './runLoop.ts'
import { agentFor } from './scenarios.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import { untilSettled } from './settled.ts'
import { startSlowModel } from './slowModel.ts'
import type { Row } from './table.ts'
import { startTinyServer } from './tinyServer.ts'

const rounds = 6
const roundMs = 4000
const quickMs = 1500
const steps = 3
/** What the rules about calls may add: they cost no statement. */
const targetShare = 0.01

const kinds = ['inside', 'outside', 'model'] as const
type Kind = (typeof kinds)[number]
const sets = ['none', 'calls', 'all'] as const
type RuleSet = (typeof sets)[number]

interface Round {
  runs: number
  costs: Costs
}

export async function guardrails(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  await using outside = await startTinyServer()
  await using model = await startSlowModel()
  await using loop = await startRunLoop(bed.signal)
  const service = await startService(dataDir, { env: { ...allowLoopback, OPENAI_COMPATIBLE_URL: model.url } })
  try {
    const teams = new Map<RuleSet, Service>()
    for (const set of sets) teams.set(set, await teamWith(service, set))
    const rows: Row[] = []
    for (const kind of kinds) rows.push(...(await compare(bed, loop, teams, kind, outside.url)))
    return rows
  } finally {
    await service.stop()
  }
}

async function compare(
  bed: Bed,
  loop: RunLoop,
  teams: Map<RuleSet, Service>,
  kind: Kind,
  outsideUrl: string,
): Promise<Row[]> {
  const agents = new Map<RuleSet, string>()
  for (const [set, team] of teams) agents.set(set, await agentFor(team, { kind, steps }, outsideUrl))
  const measured: Record<RuleSet, Round>[] = []
  const last = bed.isQuick ? 2 : rounds
  for (let n = 0; n <= last; n++) {
    const found = new Map<RuleSet, Round>()
    // each begins as often as the others
    for (const place of sets.keys()) {
      const set = sets[(n + place) % sets.length]!
      found.set(set, await round(bed, loop, teams.get(set)!, agents.get(set)!))
    }
    const by = (set: RuleSet) => found.get(set)!
    // the first round warms up
    if (n > 0) measured.push({ none: by('none'), calls: by('calls'), all: by('all') })
    bed.tell(`${kind}, round ${n} of ${last}: ${sets.map((set) => `${usOf(by(set)).toFixed(0)} µs ${set}`).join(', ')}`)
  }
  const middle = (of: (round: Record<RuleSet, Round>) => number) => median(measured.map(of))
  const rowOf = (set: 'calls' | 'all', what: string): Row => {
    const share = middle((one) => usOf(one[set]) / usOf(one.none) - 1)
    const parts = `Node ${middle((one) => nodeOf(one[set])).toFixed(0)}, PostgreSQL ${middle((one) => postgresOf(one[set])).toFixed(0)}`
    return {
      what: `µs a run of ${steps} ${kind} steps, ${what}`,
      ours: `${middle((one) => usOf(one[set])).toFixed(0)} (${parts})`,
      floor: `${middle((one) => usOf(one.none)).toFixed(0)} (no rules: Node ${middle((one) => nodeOf(one.none)).toFixed(0)}, PostgreSQL ${middle((one) => postgresOf(one.none)).toFixed(0)})`,
      ratio: `${share >= 0 ? '+' : ''}${(share * 100).toFixed(1)} %`,
      ...(set === 'calls' && { target: `≤ +${targetShare * 100} %`, met: share <= targetShare }),
    }
  }
  return [rowOf('calls', 'every rule about calls'), rowOf('all', 'and bounds of a day')]
}

async function round(bed: Bed, loop: RunLoop, team: Service, agentId: string): Promise<Round> {
  const { host, port, teamId, apiKey, databaseUrl } = team
  const order = { service: { host, port, teamId, apiKey, databaseUrl }, agentId, connections }
  const { result, costs } = await costsOf(team, async () => {
    const done = await loop.run({ ...order, ms: bed.isQuick ? quickMs : roundMs })
    await untilSettled(team)
    return done
  })
  return { runs: result.runs, costs }
}

/** A team of its own on the same service, so that the same process and the same tables serve all three. */
async function teamWith(service: Service, set: RuleSet): Promise<Service> {
  const client = new Client({ connectionString: service.databaseUrl })
  await client.connect()
  try {
    const sql = sqlOn(client)
    const made = await createTeam(sql, { name: `Rules: ${set}`, memberName: 'Measured' })
    const { secret } = await issueApiKey(sql, { ...made, name: 'bench', scopes: ['*'] })
    const team = { ...service, teamId: made.teamId, apiKey: secret }
    if (set === 'none') return team
    await post(team, `/v2/teams/${team.teamId}/members`, { name: 'Second', role: 'operator' })
    await put(team, `/v2/teams/${team.teamId}/guardrails`, {
      rules: set === 'all' ? { ...callRules(), ...dayRules } : callRules(),
    })
    return team
  } finally {
    await client.end()
  }
}

const many = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n))

/** Rules of every kind, none of which stops what is measured. */
const callRules = () => ({
  always_ask: many(50, (n) => `*__delete_${n}`),
  two_person: many(50, (n) => `bank_${n}__*`),
  allowed_hosts: [...many(100, (n) => `*.host-${n}.example.com`), '127.0.0.1'],
  allowed_connections: [],
  quiet_hours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], ...hourFarAway() }],
  time_zone: 'Europe/Berlin',
})

const dayRules = { runs_per_day: 1_000_000_000, outside_calls_per_day: 1_000_000_000, cost_usd_per_day: '900000000' }

const clockOf = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** Half a day from now, so that no call waits. */
function hourFarAway(): { from: string; to: string } {
  const hour = (new Date().getUTCHours() + 12) % 24
  return { from: clockOf(hour), to: clockOf((hour + 1) % 24) }
}

const nodeOf = ({ runs, costs }: Round): number => (costs.nodeMs * 1000) / runs
const postgresOf = ({ runs, costs }: Round): number => (costs.postgresMs * 1000) / runs
const usOf = (one: Round): number => nodeOf(one) + postgresOf(one)
