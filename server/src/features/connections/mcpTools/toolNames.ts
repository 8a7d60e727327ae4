// The names of connections' tools in a run: the connection's name, two underscores, the tool's own name; no two are the same.
import { hash } from 'node:crypto'

const nameLengthMax = 64
const slugLengthMax = 24
const suffixLength = 7

export interface ForeignTool {
  connection_id: string
  connection_name: string
  /** What it began with when its connection first listed its tools; null: it has not yet. */
  tools_prefix: string | null
  /** The name that its server gives it. */
  name: string
}

/**
 * In the order of the tools. Where two would be called alike, the tool of the older connection keeps the name (they come oldest first), and
 * of one connection the tool whose own name needs no change: another one that its server lists later must not take the name over. The
 * others, and names that are too long, end with six letters of a hash.
 */
export function toolNames(tools: ForeignTool[]): string[] {
  const order = [...tools.entries()].toSorted(([one, tool], [other, otherTool]) => {
    if (tool.connection_id !== otherTool.connection_id) return one - other
    return Number(isAltered(tool)) - Number(isAltered(otherTool)) || one - other
  })
  const taken = new Set<string>()
  const names: string[] = []
  for (const [index, tool] of order) {
    const [plain, suffixed] = possibleNames(tool)
    const isFree = plain.length <= nameLengthMax && !taken.has(plain)
    const unique = isFree ? plain : suffixed
    taken.add(unique)
    names[index] = unique
  }
  return names
}

/** Both names that a tool may have. Which one it has in a run depends on what else the build lists. */
export function possibleNames(tool: ForeignTool): [plain: string, suffixed: string] {
  const { tools_prefix, connection_name, name } = tool
  const plain = `${tools_prefix ?? slugOf(connection_name)}__${lettersOf(name)}`
  return [plain, `${plain.slice(0, nameLengthMax - suffixLength)}_${suffixOf(tool)}`]
}

const lettersOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
const isAltered = ({ name }: ForeignTool): boolean => lettersOf(name) !== name

/** A connection's name in letters that every model accepts. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, slugLengthMax)
    .replaceAll(/^_+|_+$/g, '')
  if (slug === '') return `c_${hash('sha256', name).slice(0, 6)}`
  // some models want a letter first
  return /^[a-z]/.test(slug) ? slug : `c_${slug}`
}

const suffixOf = ({ connection_id, name }: ForeignTool): string =>
  hash('sha256', `${connection_id} ${name}`).slice(0, 6)
