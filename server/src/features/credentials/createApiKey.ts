// Makes an API key; its secret is in this answer and nowhere else.
import { isId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { instant, nullable, Type, wrapped } from '../../kit/schema.ts'
import { ApiKey, issueApiKey, Scopes } from './apiKey.ts'
import { boundedExpiry, requireGrantable, requireOwnOrAdmin } from './grant.ts'

export const createApiKey = operation({
  id: 'createApiKey',
  client: 'apiKeys.create',
  route: 'POST /v2/teams/:teamId/api-keys',
  summary: 'Make an API key',
  description:
    'The secret is only in this answer. Without `scopes` the key gets all scopes that its creator and its holder share. It cannot have a ' +
    'scope that its creator lacks, and it ends with the credential that makes it at the latest. A key for another member needs an admin’s ' +
    'credential with all scopes.',
  scope: 'keys:manage',
  body: Type.Object({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['deploy pipeline'] })),
    scopes: Type.Optional(Scopes),
    user_id: Type.Optional(Type.String({ description: 'The member it belongs to; absent: yours.' })),
    expires_at: Type.Optional(
      nullable(instant('From then on the key is refused; absent: when the credential that makes it ends, or never.')),
    ),
  }),
  status: 201,
  answer: Type.Object({ ...wrapped('api_key', 'key_id', ApiKey).properties, secret: Type.String() }),
  errors: ['insufficient_scope', 'invalid_request', 'not_found'],
  tool: false,
  holder: ({ api_key }) => api_key.user_id,
  async handler({ team, caller, body, context, sql, fail }) {
    const memberId = body.user_id ?? caller.member_id
    if (!isId(memberId)) return fail('not_found', 'No member of the team has this id. GET …/members lists them.')
    const expiresAt = body.expires_at ? new Date(body.expires_at) : null
    if (expiresAt && expiresAt <= context.clock.now()) fail('invalid_request', 'expires_at must lie in the future.')
    requireOwnOrAdmin(caller, memberId, fail)
    const scopes = await requireGrantable(sql, caller, { teamId: team.id, memberId, scopes: body.scopes }, fail)
    const { apiKey, secret } = await issueApiKey(sql, {
      teamId: team.id,
      memberId,
      name: body.name ?? 'API key',
      scopes,
      expiresAt: boundedExpiry(caller, expiresAt, fail),
    })
    return { api_key: apiKey, key_id: apiKey.id, secret }
  },
})
