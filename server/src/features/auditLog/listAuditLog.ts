// Lists who changed what, newest first.
import { empty, part } from '../../base/db.ts'
import { idForFilter } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage, totalAhead } from '../../kit/paging.ts'
import { Id, instant, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    id: Id,
    team_id: Id,
    created_at: Time,
    user_id: nullable(Id),
    for_user_id: nullable(Id),
    credential_type: oneOf(['api_key', 'oauth_client', 'session', 'command_line', 'run', 'service']),
    credential_id: nullable(Id),
    operation: Type.String({ examples: ['createMember'] }),
    target_type: nullable(Type.String({ examples: ['member'] })),
    target_id: nullable(Type.String()),
    request_id: Type.String(),
    outcome: oneOf(['done', 'refused']),
    status: Type.Integer({ examples: [201] }),
    error: nullable(Type.String({ examples: ['conflict'] })),
  }),
)

const entryColumns = part`
  id, team_id, created_at, member_id as user_id, for_member_id as for_user_id, credential_type, credential_id, operation, target_type, target_id,
  request_id, case when status < 400 then 'done' else 'refused' end as outcome, status, error`

export const listAuditLog = operation({
  id: 'listAuditLog',
  client: 'auditLog.list',
  route: 'GET /v2/teams/:teamId/audit-log',
  summary: 'List the audit log',
  description:
    'One entry for every mutation, also for refused ones. `for_user_id` is the member for whom it was done, such as the holder of a new ' +
    'API key. The first use of a secret or a login by a run is an entry too, with the `credential_type` `run`, ' +
    'and so is what the service does by itself (`service`): when a rule of alerts pauses an agent, `credential_id` is the incident. Entries are never changed; ' +
    'old ones are erased. If a credential is refused more than 60 times a minute, one entry stands for the other refusals and counts them.',
  scope: 'keys:manage',
  query: Type.Object({
    operation: Type.Optional(Type.String({ maxLength: 100, description: 'Only this operation id.' })),
    user_id: Type.Optional(Type.String({ description: 'Only what this member’s credentials did.' })),
    since: Type.Optional(instant('Entries from this time on.')),
    until: Type.Optional(instant('Entries before this time.')),
    ...paging(50, 200),
  }),
  status: 200,
  answer: pageOf('entries', AuditEntry, totalAhead),
  tool: false,
  async handler({ team, query, sql }) {
    const { operation: id, user_id, since, until } = query
    const from = part`audit_log where team_id = ${team.id}
      ${id === undefined ? empty : part`and operation = ${id}`}
      ${user_id === undefined ? empty : part`and member_id = ${idForFilter(user_id)}`}
      ${since === undefined ? empty : part`and created_at >= ${since}::timestamptz`}
      ${until === undefined ? empty : part`and created_at < ${until}::timestamptz`}`
    const list = { columns: entryColumns, from, order: part`created_at desc, id desc`, isCountedAhead: true }
    const { rows, ...page } = await readPage<Static<typeof AuditEntry>>(sql, list, query)
    return { entries: rows, ...page }
  },
})
