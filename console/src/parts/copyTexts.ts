// One call of the service as a person pastes it elsewhere: as curl, as a program with the SDK, as a command line.
import { argumentsText, flagOf, lineWidth, shellWord } from '../../../server/src/kit/sourceText.ts'
import type { OperationShape } from './operationShape.ts'

export interface CopiedCall {
  operation: string
  shape: OperationShape
  /** The parameters of the path by their names in it, without the team. */
  params: Record<string, string>
  input: Record<string, unknown>
  /** Where the service is: `https://runyard.example.com`. */
  origin: string
  teamId: string
}

/** Where clients look for a service unless they are told. */
const usualOrigin = 'http://127.0.0.1:4700'

/** The key is never in the text: it is read from the environment. */
export function curlText(call: CopiedCall): string {
  const { shape, origin } = call
  const { verb, input, answer } = shape
  const given = givenInput(call)
  const query = input === 'query' ? queryText(given) : ''
  const words = [
    `curl${verb === 'GET' ? '' : ` -X ${verb}`}${answer === 'events' ? ' -N' : ''} ${shellWord(origin + filledPath(call) + query)}`,
    '-H "Authorization: Bearer $RUNYARD_API_KEY"',
    ...(input === 'body' ? ["-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(given))}`] : []),
    ...(input === 'bytes' ? Object.entries(given).map(formWord) : []),
    ...(answer === 'file' ? ['-o file'] : []),
  ]
  return words.join(' \\\n  ')
}

/** A file goes by its name, everything else as it is: `--form-string` does not read @ and ; as orders. */
const formWord = ([name, value]: [string, unknown]): string =>
  name === 'file'
    ? `-F ${shellWord(`file=@${String(value)}`)}`
    : `--form-string ${shellWord(`${name}=${String(value)}`)}`

/** Runs as it is: a module with the import above it. */
export function sdkText(call: CopiedCall): string {
  const made = call.origin === usualOrigin ? '' : argumentsText([{ baseUrl: call.origin }])
  return [
    "import { Runyard } from '@runyard/sdk'",
    '',
    '// the key comes from RUNYARD_API_KEY',
    `const runyard = new Runyard(${made})`,
    sdkLine(call),
  ].join('\n')
}

function sdkLine(call: CopiedCall): string {
  const { call: method, input, answer } = call.shape
  const given = givenInput(call)
  const ids = parametersOf(call)
  if (input === 'bytes') {
    const [group] = method.split('.')
    return `await runyard.${group}.upload(${argumentsText([...ids, given['path'], given['file']])})`
  }
  const called = `runyard.${method}(${argumentsText(Object.keys(given).length > 0 ? [...ids, given] : ids)})`
  if (answer === 'events') return `for await (const event of ${called}) console.log(event)`
  // the page that was looked at, not all of them
  if (answer === 'list' && 'limit' in given) return `console.log(await ${called}.page())`
  if (answer === 'list') return `for await (const row of ${called}) console.log(row)`
  if (answer === 'nothing') return `await ${called}`
  return `console.log(await ${called})`
}

export function cliText(call: CopiedCall): string {
  const { operation, shape, origin } = call
  const { flags, rest } = flagsOf(call)
  const names = parameterNames(shape.path)
  const words = [
    ...names.map((name) => flagWord(name, call.params[name] ?? '')),
    ...flags,
    ...(Object.keys(rest).length > 0 ? [flagWord('input', JSON.stringify(rest))] : []),
    ...(shape.answer === 'file' ? ['--out file'] : []),
  ]
  const begin = `${origin === usualOrigin ? '' : `RUNYARD_URL=${shellWord(origin)} `}runyard call ${operation}`
  const line = [begin, ...words].join(' ')
  return line.length <= lineWidth && !line.includes('\n') ? line : [begin, ...words].join(' \\\n  ')
}

/** A value that begins with a dash would be taken for a flag of its own. */
const flagWord = (name: string, value: string): string =>
  `--${flagOf(name)}${value.startsWith('-') ? '=' : ' '}${shellWord(value)}`

/** What a flag would take for something else goes into `--input`, unless the operation has a field of that name. */
function flagsOf(call: CopiedCall): { flags: string[]; rest: Record<string, unknown> } {
  const flags: string[] = []
  const rest: Record<string, unknown> = {}
  const hasWhole = call.shape.input !== 'bytes' && !('input' in givenInput(call))
  for (const [name, value] of Object.entries(givenInput(call))) {
    const typed = typedText(value, call.shape.fields[name] ?? 'text')
    if (typed === undefined && hasWhole) rest[name] = value
    else flags.push(flagWord(name, typed ?? JSON.stringify(value)))
  }
  return { flags, rest }
}

/** What is typed behind a flag for a value; undefined: a flag cannot say it. */
function typedText(value: unknown, kind: NonNullable<OperationShape['fields'][string]> | 'text'): string | undefined {
  if (typeof value !== 'string') {
    if (kind === 'text' && Array.isArray(value)) return value.join(',')
    return kind === 'text' ? undefined : JSON.stringify(value)
  }
  // - is what comes in on stdin
  if (value === '-') return undefined
  if (kind === 'json') return JSON.stringify(value)
  if (kind === 'mixed' && /^\s*[[{]/.test(value)) return undefined
  return value.startsWith('@') && kind !== 'file' ? `@${value}` : value
}

/** Without what is undefined. */
const givenInput = ({ shape, input }: CopiedCall): Record<string, unknown> =>
  shape.input === 'none' ? {} : Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

const parameterNames = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name).filter((name) => name !== 'teamId')

const parametersOf = ({ shape, params }: CopiedCall): string[] =>
  parameterNames(shape.path).map((name) => params[name] ?? '')

const filledPath = ({ shape, params, teamId }: CopiedCall): string =>
  shape.path.replaceAll(/:(\w+)(\*?)/g, (_, name: string, rest: string) => {
    const value = name === 'teamId' ? teamId : (params[name] ?? '')
    return (rest ? value.split('/') : [value]).map(encodeURIComponent).join('/')
  })

function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function queryText(input: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input)) {
    if (value !== null) query.set(name, plainText(value))
  }
  return query.size > 0 ? `?${query.toString()}` : ''
}
