// A team's own figures: tools that only read, for procedures and pages, and what the first page of the console shows.
import { feature } from '../../kit/feature.ts'
import { getOverview } from './getOverview.ts'
import { listAgentScores } from './listAgentScores.ts'
import { operationsTools } from './tools.ts'

export const operations = feature({
  name: 'operations',
  listedUnder: 'teams',
  operations: [getOverview, listAgentScores],
  toolSets: [operationsTools],
})
