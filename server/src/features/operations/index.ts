// A team's own figures, for procedures and pages: tools only, and all of them only read.
import { feature } from '../../kit/feature.ts'
import { operationsTools } from './tools.ts'

export const operations = feature({ name: 'operations', toolSets: [operationsTools] })
