// Schedules: agents that start by themselves, each due time once over all processes.
import { feature } from '../../kit/feature.ts'
import { createSchedule } from './createSchedule.ts'
import { deleteSchedule } from './deleteSchedule.ts'
import { fireSchedules } from './fireSchedules.ts'
import { forgetSchedules } from './forgetSchedules.ts'
import { getSchedulePreview } from './getSchedulePreview.ts'
import { listAgentSchedules } from './listAgentSchedules.ts'
import { previewSchedule } from './previewSchedule.ts'
import { schedule } from './schedule.ts'
import { scheduleStarts } from './scheduleStarts.ts'
import { sweepMisses } from './sweepMisses.job.ts'
import { updateSchedule } from './updateSchedule.ts'

export const schedules = feature({
  name: 'schedules',
  about: 'The times at which agents start runs by themselves, in any time zone.',
  operations: [listAgentSchedules, createSchedule, updateSchedule, deleteSchedule, getSchedulePreview, previewSchedule],
  resources: [schedule],
  jobs: [sweepMisses],
  hooks: { agentDeleted: forgetSchedules },
  tick: fireSchedules,
  runStarts: scheduleStarts,
})
