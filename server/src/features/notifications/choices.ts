// What a member wants to be told, of which kinds, by mail or by their browsers, and when.
import { part, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { isTimezone } from '../../base/wallClock.ts'
import { named, nullable, oneOf, Type, type Static } from '../../kit/schema.ts'
import { effectiveScopes, roles, type Role, type Scope } from '../../kit/scopes.ts'

export const kinds = ['human_requests', 'failed_runs', 'connections', 'deliveries', 'alerts'] as const
export type Kind = (typeof kinds)[number]

/** What a role must allow: no mail says what the console would not show. */
const scopeOfKind: Record<Kind, Scope> = {
  human_requests: 'approvals:write',
  failed_runs: 'runs:read',
  connections: 'connections:read',
  deliveries: 'webhooks:manage',
  alerts: 'runs:read',
}
export const rolesFor = (kind: Kind): Role[] =>
  roles.filter((role) => effectiveScopes(['*'], role).has(scopeOfKind[kind]))

const Wish = oneOf(['at_once', 'digest', 'off'])

const mailFields = {
  human_requests: Wish,
  failed_runs: Wish,
  connections: Wish,
  deliveries: Wish,
  alerts: Wish,
}
const browserFields = {
  human_requests: Type.Boolean(),
  failed_runs: Type.Boolean(),
  connections: Type.Boolean(),
  deliveries: Type.Boolean(),
  alerts: Type.Boolean(),
}

const Clock = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['08:00'] })
const zone = Type.String({ minLength: 1, maxLength: 64, examples: ['Europe/Berlin'] })

const timeFields = {
  time_zone: zone,
  digest_time: Clock,
  quiet_from: nullable(Clock),
  quiet_until: nullable(Clock),
}

export const NotificationChoices = named(
  'NotificationChoices',
  Type.Object({
    mail: Type.Object(mailFields, {
      description:
        'By kind: `at_once`, together once a day (`digest`), or `off`. Requests go to members who may answer them, failing deliveries to admins, alerts to those whom their rule tells.',
    }),
    browser: Type.Object(browserFields, {
      description: 'By kind: whether browsers that allow it show a notification.',
    }),
    ...timeFields,
  }),
)
export type NotificationChoices = Static<typeof NotificationChoices>

/** The parts of the choices that a caller may send. */
export const ChoicesPatch = Type.Object(
  {
    mail: Type.Optional(
      Type.Object({
        human_requests: Type.Optional(Wish),
        failed_runs: Type.Optional(Wish),
        connections: Type.Optional(Wish),
        deliveries: Type.Optional(Wish),
        alerts: Type.Optional(Wish),
      }),
    ),
    browser: Type.Optional(
      Type.Object({
        human_requests: Type.Optional(Type.Boolean()),
        failed_runs: Type.Optional(Type.Boolean()),
        connections: Type.Optional(Type.Boolean()),
        deliveries: Type.Optional(Type.Boolean()),
        alerts: Type.Optional(Type.Boolean()),
      }),
    ),
    time_zone: Type.Optional(Type.String({ ...zone, description: 'The name of a time zone, for the times below.' })),
    digest_time: Type.Optional(Type.String({ ...Clock, description: 'When the digest is sent, every day with news.' })),
    quiet_from: Type.Optional(
      Type.Union([Clock, Type.Null()], {
        description: 'From then until `quiet_until` no mail is sent; it comes afterwards. Null for both: never quiet.',
      }),
    ),
    quiet_until: Type.Optional(nullable(Clock)),
  },
  { examples: [{ mail: { human_requests: 'at_once' }, quiet_from: '22:00', quiet_until: '07:00' }] },
)
export type ChoicesPatch = Static<typeof ChoicesPatch>

/** No mail before somebody asks for it: a team that signs in with its company's accounts has not agreed to mails. */
const usual: NotificationChoices = {
  mail: { human_requests: 'off', failed_runs: 'off', connections: 'off', deliveries: 'off', alerts: 'off' },
  browser: { human_requests: true, failed_runs: false, connections: false, deliveries: false, alerts: true },
  time_zone: 'UTC',
  digest_time: '08:00',
  quiet_from: null,
  quiet_until: null,
}

export interface ChoicesRow {
  /** A kind that is missing is newer than the row. */
  mail: Partial<NotificationChoices['mail']>
  browser: NotificationChoices['browser']
  time_zone: string
  digest_minute: number
  quiet_from: number | null
  quiet_until: number | null
}

const choicesColumns = part`c.mail, c.browser, c.time_zone, c.digest_minute, c.quiet_from, c.quiet_until`

export const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
const clockOf = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((number) => String(number).padStart(2, '0')).join(':')

export function choicesOf(row: ChoicesRow): NotificationChoices {
  return {
    // rows from before a kind existed do not have it
    mail: { ...usual.mail, ...row.mail },
    browser: { ...usual.browser, ...row.browser },
    time_zone: row.time_zone,
    digest_time: clockOf(row.digest_minute),
    quiet_from: row.quiet_from === null ? null : clockOf(row.quiet_from),
    quiet_until: row.quiet_until === null ? null : clockOf(row.quiet_until),
  }
}

export async function readChoices(sql: Sql, teamId: string, memberId: string): Promise<NotificationChoices> {
  const [row] = await sql<ChoicesRow>`
    select ${choicesColumns} from notification_choices c where c.member_id = ${memberId} and c.team_id = ${teamId}`
  return row ? choicesOf(row) : usual
}

/** What the choices are after a change; a change that makes no sense is refused. */
export function changed(now: NotificationChoices, patch: ChoicesPatch): NotificationChoices {
  const { mail = {}, browser = {}, ...times } = patch
  const next = {
    ...now,
    ...times,
    mail: {
      human_requests: mail.human_requests ?? now.mail.human_requests,
      failed_runs: mail.failed_runs ?? now.mail.failed_runs,
      connections: mail.connections ?? now.mail.connections,
      deliveries: mail.deliveries ?? now.mail.deliveries,
      alerts: mail.alerts ?? now.mail.alerts,
    },
    browser: {
      human_requests: browser.human_requests ?? now.browser.human_requests,
      failed_runs: browser.failed_runs ?? now.browser.failed_runs,
      connections: browser.connections ?? now.browser.connections,
      deliveries: browser.deliveries ?? now.browser.deliveries,
      alerts: browser.alerts ?? now.browser.alerts,
    },
  }
  if (!isTimezone(next.time_zone)) {
    throw new Fault('invalid_request', 'time_zone must be the name of a time zone, such as Europe/Berlin.')
  }
  if (
    (next.quiet_from === null) !== (next.quiet_until === null) ||
    (next.quiet_from !== null && next.quiet_from === next.quiet_until)
  ) {
    throw new Fault('invalid_request', 'quiet_from and quiet_until must be two different times, or both null.')
  }
  return next
}
