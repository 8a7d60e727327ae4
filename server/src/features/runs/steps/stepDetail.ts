// What one reads beside a step in a list: a title, and a short detail of what it did. Nothing that a caller could have hidden in an address.
import { oneLine } from '../../../base/oneLine.ts'

/** How long a title, a detail and an error may be in a list. */
export const shownLengthMax = 120
export const errorLengthMax = 200

/**
 * The arguments that say most of a call, the best first. Others are not looked at: what an agent types, sends or stores is in the step
 * itself, and may be a password.
 */
export const tellingArguments = [
  'url',
  'command',
  'code',
  'path',
  'lines',
  'element',
  'title',
  'agent',
  'queue',
  'query',
  'search',
  'subject',
  'name',
  'reason',
  'until',
  'seconds',
  'case_id',
  'id',
  'page',
] as const

/** The telling arguments of a step, each as text; `method` beside them. */
export type Given = Partial<Record<(typeof tellingArguments)[number] | 'method', string>>

export interface Told {
  kind: 'model' | 'tool' | 'human' | 'wait' | 'sub_run'
  turn: number
  tool: string | null
  given: Given | null
  said: string | null
  /** For a step of the model that makes room for its next turns. */
  room: 'drop' | 'shorten' | 'fold' | null
  /** For a turn that said nothing: the tools that it called. */
  calls: string | null
}

/** The run that a step started. */
export interface StartedRun {
  run_number: number
  agent_name: string
  status: string
}

/** What became of the request to a person that a step is. */
export interface Asked {
  status: 'pending' | 'responded' | 'cancelled' | 'expired'
  approved: boolean | null
  answer: string | null
  has_values: boolean
}

export function titleOf({ kind, turn, tool, given, room }: Told, started: StartedRun | undefined): string {
  const name = tool ?? kind
  if (room !== null) return { drop: 'Leaving out pictures', shorten: 'Shortening', fold: 'Folding' }[room]
  if (kind === 'model') return `Turn ${turn}`
  if (kind === 'human') return short(given?.title) ?? name
  if (kind === 'sub_run') return short(started?.agent_name ?? given?.agent) ?? name
  return short(name) ?? kind
}

export function detailOf(told: Told, started: StartedRun | undefined, asked: Asked | undefined): string | null {
  const { kind, tool, given, said, calls } = told
  if (kind === 'model') return short(said) ?? (calls === null ? null : short(`calls ${calls}`))
  if (kind === 'human') return asked ? short(answerOf(asked)) : null
  if (kind === 'sub_run') return started ? `run ${started.run_number}, ${started.status}` : null
  if (!given) return null
  if (given.url !== undefined) return short(addressOf(tool, given.method, given.url))
  const name = tellingArguments.find((one) => given[one] !== undefined)
  const value = name && given[name]
  return short(name === 'seconds' ? `${value} s` : value)
}

const short = (text: string | null | undefined): string | null => oneLine(text ?? '', shownLengthMax) || null

/** Without the query, the fragment and the name before an `@`, where keys and passwords stand. */
function addressOf(tool: string | null, method: string | undefined, url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const path = parsed ? decoded(parsed.pathname) : (url.split(/[?#]/, 1)[0] ?? '').replace(/^[^/]*\/\/[^/]*@/, '')
  if (tool === 'http_request') return `${method ?? 'GET'} ${path}`
  const host = parsed?.host ?? ''
  return `${method === undefined ? '' : `${method} `}${host}${path === '/' ? '' : path}`
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch (error) {
    if (error instanceof URIError) return path
    throw error
  }
}

/** What a person answered, in a few words; null while nobody has. */
export function answerOf({ status, approved, answer, has_values }: Asked): string | null {
  if (status === 'pending') return null
  if (status === 'cancelled') return 'cancelled'
  const late = status === 'expired' ? 'nobody answered in time' : null
  if (approved !== null) return `${approved ? 'approved' : 'rejected'}${late ? ': nobody answered in time' : ''}`
  if (late) return late
  if (answer !== null) return `answered: ${answer}`
  return has_values ? 'filled in' : 'done'
}
