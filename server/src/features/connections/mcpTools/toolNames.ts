// What the tools of connections are called in a run: their connection, two underscores, their own name; never two alike.
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
  const plain = tools.map(({ tools_prefix, connection_name, name }) => {
    return `${tools_prefix ?? slugOf(connection_name)}__${lettersOf(name)}`
  })
  const order = [...tools.keys()].toSorted((one, other) => {
    if (tools[one]!.connection_id !== tools[other]!.connection_id) return one - other
    return Number(isAltered(tools[one]!)) - Number(isAltered(tools[other]!)) || one - other
  })
  const taken = new Set<string>()
  const names = new Map<number, string>()
  for (const index of order) {
    const name = plain[index]!
    const isFree = name.length <= nameLengthMax && !taken.has(name)
    const given = isFree ? name : `${name.slice(0, nameLengthMax - suffixLength)}_${suffixOf(tools[index]!)}`
    taken.add(given)
    names.set(index, given)
  }
  return tools.map((_, index) => names.get(index)!)
}

const lettersOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
const isAltered = ({ name }: ForeignTool): boolean => lettersOf(name) !== name

/** A connection's name in letters that every model takes. */
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
