// A cache of parsed procedures: most runs of a server use few builds, and parsing a procedure costs more than one of its steps.
import { BoundedCache } from '../../../base/boundedCache.ts'
import { parseRunbook } from './parse.ts'

export type ParsedRunbook = ReturnType<typeof parseRunbook>

const kept = new BoundedCache<ParsedRunbook>({
  name: 'procedures',
  entriesMax: 1000,
  sizeMax: 2_000_000,
  sizeOf: (_parsed, procedure) => procedure.length,
})

export const parsedOnce = (procedure: string): ParsedRunbook => kept.getOrMake(procedure, () => parseRunbook(procedure))
