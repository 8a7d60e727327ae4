// Guardrails of a team: rules above all of its agents, version by version; the newest version is live.
import { part, type Sql } from '../../base/db.ts'
import { isTimezone } from '../../base/wallClock.ts'
import { isNeverOpen, weekdays, weekOf } from '../../engine/guardrails/quietHours.ts'
import { noRules, type GuardrailDocument } from '../../engine/guardrails/rules.ts'
import { amountPattern, amountText } from '../../engine/ledger/money.ts'
import { approvingRoles } from '../../engine/requests/humanRequests.ts'
import { hostOf } from '../../kit/tool.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

/** A version is read by every process that drives a run of the team. */
const rulesBytesMax = 16 * 1024

const ToolPattern = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9_.:*-]+$',
  examples: ['http_request'],
})

const bound = (description: string) => Type.Integer({ minimum: 0, maximum: 1_000_000_000, description })
const time = (pattern: string, description: string) => Type.String({ pattern, description, examples: ['22:00'] })

const QuietHours = Type.Object({
  days: Type.Array(oneOf(weekdays), { minItems: 1, maxItems: 7 }),
  from: time('^([01]\\d|2[0-3]):[0-5]\\d$', 'The time on these days at which it begins.'),
  to: time(
    '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$',
    'When it ends: the next time that the clock shows this, so on the day after if it is not later than `from`.',
  ),
})

const fields = {
  always_ask: Type.Array(ToolPattern, {
    maxItems: 100,
    description:
      'Names of tools. A person must approve each of their calls, whatever the build says. `*` stands for any characters.',
  }),
  two_person: Type.Array(ToolPattern, {
    maxItems: 100,
    description: 'Names of tools. Two different people must approve each of their calls.',
  }),
  allowed_hosts: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 260 }), {
      maxItems: 200,
      description:
        'The only hosts that calls of runs may reach: exact names, or `*.example.com` for every name below. Null: every host.',
      examples: [['api.example.com', '*.example.org']],
    }),
  ),
  allowed_connections: nullable(
    Type.Array(Id, {
      maxItems: 200,
      description: 'The only connections that runs may use, by id. Null: every connection.',
    }),
  ),
  runs_per_day: nullable(bound('How many runs may start in a day (UTC). Null: no bound.')),
  outside_calls_per_day: nullable(
    bound('How many calls may leave the service in a day (UTC); further ones wait for the next. Null: no bound.'),
  ),
  quiet_hours: Type.Array(QuietHours, {
    maxItems: 50,
    description:
      'When no call may have an effect outside: such calls wait until the hours are over. Reading does not wait.',
  }),
  time_zone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Of the quiet hours.',
    examples: ['Europe/Berlin'],
  }),
}

const costSays = 'What models may cost in a day (UTC), in dollars. Null: no bound.'

/** The rules that a caller gives: what is left out is no rule. */
export const RulesGiven = Type.Object(
  {
    always_ask: Type.Optional(fields.always_ask),
    two_person: Type.Optional(fields.two_person),
    allowed_hosts: Type.Optional(fields.allowed_hosts),
    allowed_connections: Type.Optional(fields.allowed_connections),
    runs_per_day: Type.Optional(fields.runs_per_day),
    outside_calls_per_day: Type.Optional(fields.outside_calls_per_day),
    quiet_hours: Type.Optional(fields.quiet_hours),
    time_zone: Type.Optional(fields.time_zone),
    cost_usd_per_day: Type.Optional(
      nullable(
        Type.Union([
          Type.Number({ minimum: 0, maximum: 1_000_000_000 }),
          Type.String({ pattern: amountPattern, description: costSays }),
        ]),
      ),
    ),
  },
  {
    description: 'The whole set of rules: a rule that is left out does not apply.',
    examples: [
      {
        always_ask: ['browser_*'],
        allowed_hosts: ['api.example.com', '*.example.org'],
        cost_usd_per_day: '50',
        runs_per_day: 500,
        quiet_hours: [{ days: ['sat', 'sun'], from: '00:00', to: '24:00' }],
        time_zone: 'Europe/Berlin',
      },
    ],
  },
)
type RulesGiven = Static<typeof RulesGiven>

export const GuardrailRules = named(
  'GuardrailRules',
  Type.Object({ ...fields, cost_usd_per_day: nullable(Type.String({ description: costSays })) }),
)

export const GuardrailVersion = named(
  'GuardrailVersion',
  Type.Object({
    version: Type.Integer({ minimum: 0, description: '0: the team never had guardrails.' }),
    rules: GuardrailRules,
    comment: nullable(Type.String({ description: 'Why it was changed.' })),
    restores: nullable(Type.Integer({ minimum: 1, description: 'The earlier version whose rules were restored.' })),
    user_id: nullable(Id),
    created_at: nullable(Time),
  }),
)
export type GuardrailVersion = Static<typeof GuardrailVersion>

export const Comment = Type.Optional(
  nullable(Type.String({ maxLength: 500, description: 'Why it is changed, for the history.' })),
)

export const versionColumns = part`version, rules, comment, restores, user_id, created_at`

const none: GuardrailVersion = {
  version: 0,
  rules: noRules,
  comment: null,
  restores: null,
  user_id: null,
  created_at: null,
}

/** The version that is live. */
export async function liveVersion(sql: Sql, teamId: string): Promise<GuardrailVersion> {
  const [row] = await sql<GuardrailVersion>`
    select ${versionColumns} from guardrails where team_id = ${teamId} order by version desc limit 1`
  return row ?? none
}

const unique = (values: readonly string[]): string[] => [...new Set(values)]

/** The rules in the one form in which they are stored and compared, and everything that is wrong with them. */
export async function readRules(
  sql: Sql,
  teamId: string,
  given: RulesGiven,
): Promise<{ rules: GuardrailDocument; problems: string[] }> {
  const problems: string[] = []
  const { cost_usd_per_day: cost = null } = given
  const rules: GuardrailDocument = {
    always_ask: unique(given.always_ask ?? []),
    two_person: unique(given.two_person ?? []),
    allowed_hosts: given.allowed_hosts
      ? unique(given.allowed_hosts.map((host, index) => readHost(host, index, problems)))
      : null,
    allowed_connections: given.allowed_connections
      ? unique(given.allowed_connections.map((id) => id.toLowerCase()))
      : null,
    cost_usd_per_day: cost === null ? null : amountText(cost),
    runs_per_day: given.runs_per_day ?? null,
    outside_calls_per_day: given.outside_calls_per_day ?? null,
    quiet_hours: (given.quiet_hours ?? []).map(({ days, from, to }) => ({
      days: weekdays.filter((day) => days.includes(day)),
      from,
      to,
    })),
    time_zone: given.time_zone ?? 'UTC',
  }
  if (!isTimezone(rules.time_zone)) {
    problems.push(
      `rules.time_zone: ${JSON.stringify(rules.time_zone)} is not a time zone; use a name such as Europe/Berlin.`,
    )
  }
  if (rules.quiet_hours.length > 0 && isNeverOpen(weekOf(rules.quiet_hours))) {
    problems.push('rules.quiet_hours: they cover the whole week, so calls would wait for ever. Leave some time open.')
  }
  if (Buffer.byteLength(JSON.stringify(rules)) > rulesBytesMax) {
    problems.push(
      `rules: they are larger than ${rulesBytesMax / 1024} KiB of JSON. Use patterns instead of long lists.`,
    )
  }
  problems.push(...(await teamProblems(sql, teamId, rules)))
  return { rules, problems }
}

function readHost(given: string, index: number, problems: string[]): string {
  const isBelow = given.startsWith('*.')
  const name = isBelow ? given.slice(2) : given
  const bracketed = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
  const host =
    /[\s/\\?#@*]/.test(name) || /\]?:\d+$/.test(bracketed.replace(/^\[.*\]/, '')) ? null : hostOf(`http://${bracketed}`)
  if (host === null) {
    problems.push(
      `rules.allowed_hosts[${index}]: ${JSON.stringify(given.slice(0, 100))} is not a host. Write names like api.example.com or *.example.com, without scheme, port and path.`,
    )
    return given
  }
  return isBelow ? `*.${host}` : host
}

/** What only the team's own records can tell. */
async function teamProblems(sql: Sql, teamId: string, rules: GuardrailDocument): Promise<string[]> {
  const problems: string[] = []
  const wanted = rules.allowed_connections ?? []
  if (wanted.length > 0) {
    const found = await sql<{ id: string }>`
      select id from connections where team_id = ${teamId} and id = any(${wanted}::uuid[])`
    const known = new Set(found.map(({ id }) => id))
    for (const [index, id] of wanted.entries()) {
      if (!known.has(id)) problems.push(`rules.allowed_connections[${index}]: this team has no connection ${id}.`)
    }
  }
  if (rules.two_person.length > 0) {
    const people = await sql`
      select id from members where team_id = ${teamId} and removed_at is null and role = any(${approvingRoles}::text[]) limit 2`
    if (people.length < 2) {
      problems.push(
        'rules.two_person: fewer than two members of this team may approve, so such calls would wait for ever. Add a member first.',
      )
    }
  }
  return problems
}
