// Lists the sandboxes of a team, newest first.
import { part, type Part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { named, oneOf, Type } from '../../kit/schema.ts'
import { isOfVisibleRun } from '../../engine/ledger/visibleRuns.ts'
import { isThere, Sandbox, sandboxColumns } from './workspace/sandbox.ts'

const makers: Record<'caller' | 'run', Part> = {
  caller: part`s.expires_at is not null`,
  run: part`s.expires_at is null`,
}

export const listSandboxes = operation({
  id: 'listSandboxes',
  client: 'sandboxes.list',
  route: 'GET /v2/sandboxes',
  summary: 'List sandboxes',
  description: 'Newest first. Sandboxes that callers made unless `made_by` says otherwise.',
  scope: 'files:read',
  query: Type.Object({
    made_by: oneOf(['caller', 'run'], {
      default: 'caller',
      description: '`caller`: made with createSandbox, also if a run has it now. `run`: the own workspaces of runs.',
    }),
    ...paging(50, 200),
  }),
  status: 200,
  answer: pageOf('sandboxes', named('Sandbox', Sandbox)),
  async handler({ team, caller, query, sql }) {
    const from = part`sandboxes s where s.team_id = ${team.id} and ${makers[query.made_by]} and ${isThere}
      and ${isOfVisibleRun(caller.member_id, part`s.run_id`)}`
    const { rows, ...page } = await readPage<Sandbox>(
      sql,
      { columns: sandboxColumns, from, order: part`s.id desc` },
      query,
    )
    return { sandboxes: rows, ...page }
  },
})
