// Runs: starting, watching, talking to, stopping and explaining the work of agents.
import { agentsSet } from '../../engine/tools/agents.ts'
import { httpSet } from '../../engine/tools/http.ts'
import { humanSet } from '../../engine/tools/human.ts'
import { scheduleSet } from '../../engine/tools/schedule.ts'
import { feature } from '../../kit/feature.ts'
import { getRun } from './getRun.ts'
import { run } from './run.ts'
import { startRun } from './startRun.ts'

export const runs = feature({
  name: 'runs',
  about: 'Durable runs of agents: started, watched, talked to, stopped and explained.',
  operations: [startRun, getRun],
  resources: [run],
  toolSets: [humanSet, httpSet, scheduleSet, agentsSet],
})
