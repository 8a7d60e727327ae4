// Stops the drill that is under way: it cleans up after itself and ends without a result.
import { operation } from '../../../kit/operation.ts'
import { wrapped } from '../../../kit/schema.ts'
import { requireInstallation } from '../installation.ts'
import { Drill } from './drill.ts'
import { askToStop, readLatest } from './drillRows.ts'

export const stopDrill = operation({
  id: 'stopDrill',
  client: 'system.stopDrill',
  route: 'POST /v2/system/drills/stop',
  summary: 'Stop the drill',
  description:
    'It ends its workers, erases its team, and becomes `stopped`, usually within seconds. One that no worker has taken yet is stopped at once. ' +
    'If none is under way, the latest one is given as it is.',
  scope: 'system:write',
  status: 200,
  answer: wrapped('drill', 'drill_id', Drill),
  errors: ['forbidden', 'conflict'],
  tool: false,
  async handler({ team, sql, context, fail }) {
    await requireInstallation(sql, context, team.id)
    const drill = (await askToStop(sql)) ?? (await readLatest(sql))
    if (!drill) return fail('conflict', 'There was no drill yet.')
    return { drill, drill_id: drill.id }
  },
})
