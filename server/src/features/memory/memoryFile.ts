// A memory file: a text that an agent, or a person for it, keeps from run to run.
import { part } from '../../base/db.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

export const contentBytesMax = 256 * 1024
export const filesMax = 1000
export const storeBytesMax = 16 * 1024 * 1024

const Path = Type.String({ examples: ['notes/today.md'] })
const Generation = Type.Integer({ minimum: 1, description: 'Raised by one with every change of the file.' })
const SourceType = oneOf(['run', 'user'], { description: 'Who wrote it last.' })

export const MemoryFile = named(
  'MemoryFile',
  Type.Object({
    path: Path,
    content: Type.String({ examples: ['The night shift starts at ten.'] }),
    generation: Generation,
    source_type: SourceType,
    source_run_id: nullable(Id),
    updated_at: Time,
  }),
)

export type MemoryFile = Static<typeof MemoryFile>

export const memoryFileColumns = part`path, content, generation, source_type, source_run_id, updated_at`

export const ListedMemoryFile = named(
  'ListedMemoryFile',
  Type.Object({
    name: Type.String({ description: 'The last part of the path.', examples: ['today.md'] }),
    path: Path,
    size_bytes: Type.Integer({ minimum: 0 }),
    generation: Generation,
    source_type: SourceType,
    source_run_id: nullable(Id),
    updated_at: Time,
  }),
)

export type ListedMemoryFile = Static<typeof ListedMemoryFile>

export const expectedGeneration = (description: string, minimum: number) =>
  Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, description, examples: [1] })

export const noSuchFile = 'This agent has no memory file of that path. List its memory files to see which there are.'
