// Asks for a drill: a worker of the service takes it within a second.
import { operation } from '../../../kit/operation.ts'
import { Type, wrapped } from '../../../kit/schema.ts'
import { requireInstallation } from '../installation.ts'
import { Drill, drillFields } from './drill.ts'
import { insertDrill } from './drillRows.ts'

export const startDrill = operation({
  id: 'startDrill',
  client: 'system.startDrill',
  route: 'POST /v2/system/drills',
  summary: 'Start a drill',
  description:
    'Makes a scratch team with runs of its own, starts further worker processes for it, kills them one after another, and says what was lost, repeated or ' +
    'doubled. Each of these counts must be zero. Then the team is erased. Only workers that the drill itself starts are killed, and only they work on its runs. ' +
    'One drill at a time. Only for admins of the teams that `RUNYARD_SYSTEM_TEAMS` names, or of the oldest team.',
  scope: 'system:write',
  body: Type.Object(drillFields, { examples: [{ runs: 200, kills: 20 }] }),
  status: 201,
  answer: wrapped('drill', 'drill_id', Drill),
  errors: ['forbidden', 'conflict'],
  tool: false,
  async handler({ team, caller, body, sql, context, fail }) {
    await requireInstallation(sql, context, team.id)
    const drill = await insertDrill(sql, { ...body, requestedBy: caller.member_id })
    if (!drill) return fail('conflict', 'A drill is under way. Wait for its end, or stop it.')
    return { drill, drill_id: drill.id }
  },
})
