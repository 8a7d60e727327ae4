// Lists the drills of the installation with their results, the latest first.
import { part } from '../../../base/db.ts'
import { operation } from '../../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../../kit/paging.ts'
import { Type } from '../../../kit/schema.ts'
import { requireInstallation } from '../installation.ts'
import { Drill, drillColumns } from './drill.ts'

export const listDrills = operation({
  id: 'listDrills',
  client: 'system.listDrills',
  route: 'GET /v2/system/drills',
  summary: 'List drills',
  description:
    'The latest first, with how far one that is under way has come. Only for admins of the teams that `RUNYARD_SYSTEM_TEAMS` names, or of the oldest team.',
  scope: 'system:read',
  query: Type.Object(paging(20, 100)),
  status: 200,
  answer: pageOf('drills', Drill),
  errors: ['forbidden'],
  tool: false,
  async handler({ team, query, sql, context }) {
    await requireInstallation(sql, context, team.id)
    const list = { columns: drillColumns, from: part`drills`, order: part`id desc` }
    const { rows, ...page } = await readPage<Drill>(sql, list, query)
    return { drills: rows, ...page }
  },
})
