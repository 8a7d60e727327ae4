// What does not compile: the type checker, which runs before the tests, fails when one of these lines becomes legal.
import assert from 'node:assert/strict'
import { alias, operation } from './operation.ts'
import { Type } from './schema.ts'
import { proves } from '../../test/kit/proves.ts'

const csv = async () => ({ bytes: 'a,b', type: 'text/csv' })

proves('kit.typed', 'undeclared errors and events, wrong answers and unknown resources do not compile', () => {
  const declared = operation({
    id: 'typed',
    route: 'POST /v2/teams/:teamId/members/:member_id/:word',
    summary: 'Only its types are of interest',
    scope: 'team:read',
    query: Type.Object({ limit: Type.Integer() }),
    body: Type.Object({ name: Type.Optional(Type.String()) }),
    status: 200,
    answer: Type.Object({ name: Type.String() }),
    errors: ['conflict'],
    emits: ['connection.action_required'],
    prepare: async ({ member }) => ({ prepared: member.name }),
    async handler({ member, team, params, body, query, prepared, fail, emit, ...rest }) {
      const typed: [string, string, string, string | undefined, number, string] = [
        member.email ?? '',
        team.id,
        params.word,
        body.name,
        query.limit,
        prepared.prepared,
      ]
      // @ts-expect-error the operation does not declare this error
      const refuse = () => fail('not_found')
      // @ts-expect-error the operation does not declare this event
      const tell = () => emit('run.started', {})
      // @ts-expect-error the event carries more than this
      const half = () => emit('connection.action_required', { provider: 'x' })
      // @ts-expect-error the path names no agent
      const missing = rest.agent
      return { name: String([typed, refuse, tell, half, missing].length) }
    },
  })
  operation({
    id: 'wrongAnswer',
    route: 'GET /v2/wrong',
    summary: 'Its answer does not fit',
    scope: 'team:read',
    status: 200,
    answer: Type.Object({ name: Type.String() }),
    // @ts-expect-error the answer lacks its name
    handler: async () => ({}),
  })
  const file = { types: ['text/csv'] }
  const ofFile = { summary: 'Answers a file', scope: 'team:read', status: 200, answerFile: file } as const
  operation({
    ...ofFile,
    id: 'wrongFile',
    route: 'GET /v2/wrong-file',
    // @ts-expect-error a file has a type
    handler: async () => ({ bytes: 'a,b' }),
  })
  // @ts-expect-error only a GET answers a file
  operation({ ...ofFile, id: 'postedFile', route: 'POST /v2/wrong-file', handler: csv })
  const id = 'twoAnswers'
  // @ts-expect-error an operation answers JSON or a file
  operation({ ...ofFile, id, route: 'GET /v2/two-answers', answer: Type.Object({}), handler: csv })
  const second = alias(declared, { id: 'typedToo', route: 'POST /v2/members/:member_id/:word' })
  assert.equal(second.handler, declared.handler)
  assert.equal(second.path, '/v2/members/:member_id/:word')
})
