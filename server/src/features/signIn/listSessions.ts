// Lists who is signed in, newest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { MemberSession, sessionColumns, visibleSessions } from './session.ts'

export const listSessions = operation({
  id: 'listSessions',
  client: 'sessions.list',
  route: 'GET /v2/teams/:teamId/sessions',
  summary: 'List sessions',
  description:
    'Your own sessions; with the scope `keys:manage`, those of all members. Sessions that are over are left out.',
  scope: 'team:read',
  query: Type.Object(paging(50, 200)),
  status: 200,
  answer: pageOf('sessions', MemberSession),
  tool: false,
  async handler({ team, caller, query, sql }) {
    const list = { columns: sessionColumns(caller), from: visibleSessions(team.id, caller), order: part`s.id desc` }
    const { rows, ...page } = await readPage<MemberSession>(sql, list, query)
    return { sessions: rows, ...page }
  },
})
