// Lists the mails to the caller, newest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { mailColumns, MemberMail } from './mail.ts'

export const listMails = operation({
  id: 'listMails',
  client: 'notifications.mails',
  route: 'GET /v2/profile/mails',
  summary: 'List mails to you',
  description: 'Mails of the last 30 days, newest first, with how far each has come.',
  scope: 'team:read',
  query: Type.Object({ ...paging(20, 100) }),
  status: 200,
  answer: pageOf('mails', MemberMail),
  tool: false,
  async handler({ team, caller, query, sql }) {
    const from = part`mails m where m.member_id = ${caller.member_id} and m.team_id = ${team.id}`
    const order = part`m.created_at desc, m.id desc`
    const { rows, ...page } = await readPage<MemberMail>(sql, { columns: mailColumns, from, order }, query)
    return { mails: rows, ...page }
  },
})
