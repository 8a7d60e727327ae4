// An agent as files: procedure.md, agent.yaml and, on request, memory/. The same agent gives the same bytes.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { parse, stringify } from 'yaml'
import { CommandFailed } from '../command.ts'
import { readIncoming } from './incoming.ts'
import { sortedFields } from '../../../server/src/base/sortedFields.ts'

export type Fields = Record<string, unknown>

export interface AgentFiles {
  name: string
  description: string | null
  memory_enabled: boolean
  /** Connections and sub-agents by name, where only one has it. */
  config: Fields & { data: Fields }
  schedules: Fields[]
  triggers: { queue: string; enabled: boolean; concurrency: number | null }[]
  /** Webhooks, events, polls and mail; undefined: the file says nothing of them. */
  incoming: Fields[] | undefined
  rubrics: Fields[]
  /** The content by path; undefined when nobody asked for it. */
  memory?: Record<string, string>
}

/** How large agent.yaml may be. */
const yamlBytesMax = 4 * 1024 * 1024

/** A name that stays inside its folder, whatever the agent is called. */
export function folderNames(names: string[]): string[] {
  const used = new Set<string>()
  return names.map((name) => {
    const plain = name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 60)
      .replaceAll(/^-+|-+$/g, '')
    const slug = plain === '' ? 'agent' : plain
    let found = slug
    for (let count = 2; used.has(found); count += 1) found = `${slug}-${count}`
    used.add(found)
    return found
  })
}

export async function writeAgent(folder: string, { memory, config, ...rest }: AgentFiles): Promise<void> {
  await mkdir(folder, { recursive: true })
  const { input, ...data } = config.data
  const procedure = join(folder, 'procedure.md')
  if (typeof input === 'string') await writeFile(procedure, input)
  else await rm(procedure, { force: true })
  const kept = { ...rest, config: { ...config, data: typeof input === 'string' ? data : config.data } }
  const { name, description, memory_enabled, schedules, triggers, incoming, rubrics } = kept
  const ordered = {
    name,
    description,
    memory_enabled,
    config: sortedFields(kept.config),
    schedules,
    triggers,
    incoming,
    rubrics,
  }
  await writeFile(join(folder, 'agent.yaml'), stringify(ordered, { lineWidth: 0, aliasDuplicateObjects: false }))
  if (!memory) return
  const root = join(folder, 'memory')
  await rm(root, { recursive: true, force: true })
  for (const [path, content] of Object.entries(memory)) {
    const file = join(root, path)
    if (relative(root, file).split(sep).includes('..'))
      throw new CommandFailed(`The memory file ${JSON.stringify(path)} would leave its folder.`)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
}

const textOf = (value: unknown): string => JSON.stringify(sortedFields(value))

/** Whatever the order of their keys. */
export const isSame = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b)

export async function readAgent(folder: string): Promise<AgentFiles> {
  const file = join(folder, 'agent.yaml')
  if ((await stat(file)).size > yamlBytesMax) throw new CommandFailed(`${file} is larger than 4 MiB.`)
  const read = parsed(file, await readFile(file, 'utf8'))
  const { name, description, memory_enabled, config, schedules, triggers, incoming, rubrics } = read
  if (typeof name !== 'string' || name === '') throw new CommandFailed(`${file}: name is missing.`)
  const { data } = (config ?? {}) as { data?: unknown }
  if (!isFields(config) || !isFields(data)) throw new CommandFailed(`${file}: config.data is missing.`)
  const procedure = await textIfThere(join(folder, 'procedure.md'))
  const memory = await memoryIn(join(folder, 'memory'))
  return {
    name,
    description: typeof description === 'string' ? description : null,
    memory_enabled: memory_enabled === true,
    config: { ...config, data: { ...data, ...(procedure !== undefined && { input: procedure }) } },
    schedules: listOf(file, 'schedules', schedules),
    triggers: listOf(file, 'triggers', triggers).map(({ queue, enabled, concurrency }) => ({
      queue: String(queue),
      enabled: enabled !== false,
      concurrency: typeof concurrency === 'number' ? concurrency : null,
    })),
    incoming: incoming === undefined ? undefined : readIncoming(file, listOf(file, 'incoming', incoming)),
    rubrics: listOf(file, 'rubrics', rubrics),
    ...(memory && { memory }),
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(file: string, text: string): Fields {
  try {
    // an alias may stand for itself a thousand times over
    const value: unknown = parse(text, { maxAliasCount: 0 })
    if (isFields(value)) return value
  } catch (error) {
    throw new CommandFailed(`${file}: ${(error as Error).message.split('\n')[0]}`, { cause: error })
  }
  throw new CommandFailed(`${file} must be a YAML object.`)
}

function listOf(file: string, name: string, value: unknown): Fields[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every(isFields)) return value
  throw new CommandFailed(`${file}: ${name} must be a list of objects.`)
}

async function textIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function memoryIn(root: string): Promise<Record<string, string> | undefined> {
  let entries
  try {
    entries = await readdir(root, { recursive: true, withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  const memory: Record<string, string> = {}
  for (const file of files) memory[relative(root, file).split(sep).join('/')] = await readFile(file, 'utf8')
  return memory
}
