// A build's config as the engine reads it: plain values with their defaults, and everything that is wrong, with its path.
import { poolName } from '../../base/settingKinds.ts'
import { schemaProblems } from '../../base/jsonSchema/jsonSchema.ts'
import { isAbsent, isFields, readFields, type Complain, type Fields } from './configFields.ts'
import { readLimits, readOnLimit } from './configLimits.ts'
import { givenKinds, type Given } from '../../kit/given.ts'

/** Whether a person must allow a call of a tool: never, always, or when an expression holds. */
export type Approval = 'never' | 'always' | { when: string }

export interface Limits {
  max_steps: number
  /** Waiting excluded. */
  max_duration_s: number
  /** Decimal text: money is never a float. */
  max_cost_usd: string | null
  max_tokens: number | null
}

export interface BuildConfig {
  /** Markdown. A list of messages becomes their texts, with an empty line between them. */
  procedure: string
  /**
   * Each `provider:model`, also where the config gives a model without its provider: the first is asked, the others in their order where it
   * cannot answer. None: the default of the team, or of the server.
   */
  models: string[]
  /** Names of tool sets; null: `defaultPlugins`. */
  plugins: string[] | null
  connections: string[]
  subAgents: string[]
  /** What else its runs get, by names or ids. */
  given: Given
  limits: Limits
  /** What becomes of a run that reaches one of them: it fails, or asks a person for more. */
  onLimit: 'fail' | 'ask'
  /** How many runs of the agent may be active at once; null: as many as the team's. */
  max_concurrent_runs: number | null
  /** The keys are tool names. */
  approvals: Map<string, Approval>
  /** Whether calls of a tool run beside the other calls of their turn; the keys are tool names. */
  calls: Map<string, 'alone' | 'together'>
  /** The pool of workers that its runs need; null: the usual one. The database reads it from the config too (migration 0104). */
  workerPool: string | null
  /** JSON Schema that the output of a run must fit. */
  output_schema: Record<string, unknown> | null
}

export interface Problem {
  /** Inside the config: `data.models.agent.model`. */
  path: string
  message: string
}

/** What only this server knows about a config. */
export interface ServerFacts {
  /** Names of the tool sets that there are. */
  plugins: readonly string[]
  /** The model of a build that names none. */
  defaultModel: string
  /** Whether the team lets its agents use this model. */
  isAllowed: (model: string) => boolean
  runbookProblems: (procedure: string) => { line: number; message: string }[]
  /** What is wrong with an expression; undefined: nothing. */
  expressionProblem: (expression: string) => string | undefined
  hasPrice: (model: string) => boolean
}

/** Why its cost cannot be limited. */
export const withoutPrice = (model: string): string => `${model} has no price, so its cost cannot be limited`
export const addPrice = 'add the price to the file that RUNYARD_MODEL_PRICES names'

/** The same to whoever sets the limit. */
export const unpriced = (model: string): string => `${withoutPrice(model)}; leave the limit out, or ${addPrice}`

export const defaultPlugins = ['sandbox', 'human', 'memory', 'cases'] as const
const providers = ['anthropic', 'openai', 'google', 'openai-compatible'] as const

export const procedureBytesMax = 256 * 1024
const configBytesMax = 512 * 1024
const listLengthMax = 100
const nameLengthMax = 200
const expressionLengthMax = 2000

/** Never throws: what does not fit counts as absent. */
export const parseBuildConfig = (config: unknown): BuildConfig => read(config, () => undefined).config

/** Whether the config has no procedure at all. A procedure that cannot be read still counts as given. */
export function isWithoutProcedure(config: unknown): boolean {
  let isRead = true
  const { text } = readProcedure(dataOf(config)['input'], () => (isRead = false))
  return isRead && text.trim() === ''
}

/** Every problem at once. */
export function problemsOf(config: unknown, known: ServerFacts): Problem[] {
  if (!isFields(config) || config['version'] !== 'v2' || !isFields(config['data'])) {
    return [{ path: 'config', message: 'must be {"version": "v2", "data": {…}}' }]
  }
  if (Buffer.byteLength(JSON.stringify(config)) > configBytesMax) {
    return [{ path: 'config', message: `is larger than ${configBytesMax / 1024} KiB of JSON; shorten it` }]
  }
  const problems: Problem[] = []
  const complain: Complain = (path, message) => problems.push({ path, message })
  const { config: parsed, pieces } = read(config, complain)
  if (Buffer.byteLength(parsed.procedure) > procedureBytesMax) {
    complain('data.input', `is larger than ${procedureBytesMax / 1024} KiB; move parts of it into other agents`)
  } else {
    for (const { line, message } of known.runbookProblems(parsed.procedure)) {
      const piece = pieces.findLast((one) => one.line <= line) ?? { path: 'data.input', line: 1 }
      complain(piece.path, `line ${line - piece.line + 1}: ${message}`)
    }
  }
  for (const name of parsed.plugins ?? []) {
    if (known.plugins.includes(name)) continue
    complain(
      'data.plugins',
      `${JSON.stringify(name)} is not a plugin of this server; it has ${known.plugins.join(', ')}`,
    )
  }
  for (const [tool, approval] of parsed.approvals) {
    const problem = typeof approval === 'object' ? known.expressionProblem(approval.when) : undefined
    if (problem !== undefined) complain(`data.approvals.${tool}.when`, problem)
  }
  for (const { path, message } of parsed.output_schema ? schemaProblems(parsed.output_schema) : []) {
    complain(`data.output_schema${path}`, message)
  }
  const models = parsed.models.length > 0 ? parsed.models : [known.defaultModel]
  for (const model of models) {
    if (parsed.limits.max_cost_usd !== null && !known.hasPrice(model)) {
      complain('data.limits.max_cost_usd', unpriced(model))
    }
    if (!known.isAllowed(model)) {
      complain(
        'data.models.agent',
        `the team does not allow the model ${model}; its model settings list what it allows`,
      )
    }
  }
  return problems
}

interface Piece {
  path: string
  /** Where it begins in the procedure, from 1. */
  line: number
}

function dataOf(config: unknown): Fields {
  const data = isFields(config) ? config['data'] : undefined
  return isFields(data) ? data : {}
}

/** Reads and complains in one pass, so that what is refused and what is used cannot drift apart. */
function read(config: unknown, complain: Complain): { config: BuildConfig; pieces: Piece[] } {
  const data = dataOf(config)
  const { text, pieces } = readProcedure(data['input'], complain)
  const { max_concurrent_runs, ...limits } = readLimits(data['limits'], 'data.limits', complain)
  return {
    pieces,
    config: {
      procedure: text,
      models: readModels(data['models'], complain),
      plugins: readList(data['plugins'], 'data.plugins', 'names of plugins', complain),
      connections: readList(data['connections'], 'data.connections', 'ids of connections', complain) ?? [],
      subAgents: readList(data['subAgents'], 'data.subAgents', 'ids of agents', complain) ?? [],
      given: readGiven(data, complain),
      limits: {
        max_steps: limits.max_steps ?? 200,
        max_duration_s: limits.max_duration_s ?? 3600,
        max_cost_usd: limits.max_cost_usd === null ? null : String(limits.max_cost_usd),
        max_tokens: limits.max_tokens,
      },
      onLimit: readOnLimit(data['limits'], 'data.limits.on_limit', complain),
      max_concurrent_runs,
      approvals: readApprovals(data['approvals'], complain),
      calls: readCalls(data['calls'], complain),
      workerPool: readWorkerPool(data['worker_pool'], complain),
      output_schema: readFields(data['output_schema'], 'data.output_schema', 'a JSON Schema (an object)', complain),
    },
  }
}

function readProcedure(input: unknown, complain: Complain): { text: string; pieces: Piece[] } {
  const nothing = { text: '', pieces: [] }
  if (isAbsent(input)) return nothing
  if (typeof input === 'string') return { text: input, pieces: [{ path: 'data.input', line: 1 }] }
  if (!Array.isArray(input) || input.length > listLengthMax) {
    complain('data.input', `must be Markdown text or a list of at most ${listLengthMax} {"role", "content"} messages`)
    return nothing
  }
  const texts: string[] = []
  const pieces: Piece[] = []
  let line = 1
  for (const [index, message] of input.entries()) {
    for (const { path, text } of readMessage(message, `data.input[${index}]`, complain)) {
      texts.push(text)
      pieces.push({ path, line })
      line += text.split(/\r\n?|\n/).length + 1
    }
  }
  return { text: texts.join('\n\n'), pieces }
}

const roles = ['system', 'user', 'assistant']
/** The types of parts that hold text, as clients of the large providers spell them. */
const textParts = ['text', 'input_text', 'output_text']

/** The texts of a message: its content, or each part of it. */
function readMessage(message: unknown, path: string, complain: Complain): { path: string; text: string }[] {
  if (!isFields(message)) {
    complain(path, 'must be {"role": "system", "content": text}')
    return []
  }
  const { role, content } = message
  const isRole = roles.includes(role as string)
  if (!isRole) complain(`${path}.role`, `must be one of ${roles.join(', ')}`)
  const texts = readContent(content, `${path}.content`, complain)
  return isRole ? texts : []
}

function readContent(content: unknown, path: string, complain: Complain): { path: string; text: string }[] {
  if (typeof content === 'string') return [{ path, text: content }]
  if (!Array.isArray(content) || content.length > listLengthMax) {
    complain(path, `must be text, or a list of at most ${listLengthMax} parts such as {"type": "text", "text": text}`)
    return []
  }
  return content.flatMap((part, index) => {
    const { type, text } = isFields(part) ? part : {}
    if (textParts.includes(type as string) && typeof text === 'string')
      return [{ path: `${path}[${index}].text`, text }]
    complain(
      `${path}[${index}]`,
      `must be a part of text: {"type": "text", "text": text}; types are ${textParts.join(', ')}`,
    )
    return []
  })
}

/** Model names that show their provider. */
const plainNames: [provider: (typeof providers)[number], name: RegExp][] = [
  ['anthropic', /^claude-/],
  ['openai', /^(?:gpt-|chatgpt-|o\d)/],
  ['google', /^gemini-/],
]

/** `claude-…` is short for `anthropic:claude-…`, and so on; any other name stays as it is. */
function fullModelName(model: string): string {
  const found = model.includes(':') ? undefined : plainNames.find(([, name]) => name.test(model))
  return found ? `${found[0]}:${model}` : model
}

const modelText = new RegExp(`^(?:builtin:runbook|(?:${providers.join('|')}):[!-~]+)$`)

/** How many models a build may name: each is one more provider that a turn may wait for. */
const routesMax = 5

/** `agent` is one model, or a list of them in the order in which they are asked. */
function readModels(models: unknown, complain: Complain): string[] {
  const all = readFields(models, 'data.models', 'an object such as {"agent": {"model": "builtin:runbook"}}', complain)
  const agent = all?.['agent']
  if (!Array.isArray(agent)) {
    const model = readModel(agent, 'data.models.agent', complain)
    return model === null ? [] : [model]
  }
  if (agent.length > routesMax) {
    complain('data.models.agent', `must have at most ${routesMax} models`)
    return []
  }
  const routes = agent.flatMap((one, index) => {
    const path = `data.models.agent[${index}]`
    const model = readModel(one, path, complain)
    if (model === null && (!isFields(one) || isAbsent(one['model']))) complain(path, 'must be {"model": …}')
    return model === null ? [] : [model]
  })
  if (new Set(routes).size < routes.length) complain('data.models.agent', 'names a model twice')
  if (routes.length > 1 && routes.some((model) => model.startsWith('builtin:'))) {
    complain('data.models.agent', 'cannot have builtin:runbook beside other models: it asks no provider')
    return routes.slice(0, 1)
  }
  return [...new Set(routes)]
}

function readModel(agent: unknown, path: string, complain: Complain): string | null {
  const fields = readFields(agent, path, 'an object such as {"model": "builtin:runbook"}, or a list of them', complain)
  const model = fields?.['model']
  if (isAbsent(model)) return null
  if (typeof model === 'string' && model.length <= nameLengthMax) {
    const full = fullModelName(model)
    if (modelText.test(full)) return full
  }
  const wanted =
    `must be builtin:runbook, or provider:model with one of the providers ${providers.join(', ')}; ` +
    'names that begin with claude-, gpt- or gemini- need no provider'
  complain(`${path}.model`, wanted)
  return null
}

function readList(value: unknown, path: string, what: string, complain: Complain): string[] | null {
  if (isAbsent(value)) return null
  if (!Array.isArray(value) || value.length > listLengthMax) {
    complain(path, `must be a list of at most ${listLengthMax} ${what}`)
    return null
  }
  return value.filter((item, index): item is string => {
    const isName = typeof item === 'string' && item.length > 0 && item.length <= nameLengthMax
    if (!isName) complain(`${path}[${index}]`, `must be text: the list holds ${what}`)
    return isName
  })
}

function readGiven(data: Fields, complain: Complain): Given {
  const lists = givenKinds.map((kind) => [
    kind,
    readList(data[kind], `data.${kind}`, `names or ids of ${kind}`, complain) ?? [],
  ])
  return Object.fromEntries(lists) as Given
}

function readApprovals(value: unknown, complain: Complain): Map<string, Approval> {
  const approvals = new Map<string, Approval>()
  const given = readFields(
    value,
    'data.approvals',
    'an object of tool names, such as {"http_request": "always"}',
    complain,
  )
  for (const [tool, approval] of Object.entries(given ?? {})) {
    if (approval === 'never' || approval === 'always') approvals.set(tool, approval)
    else if (
      isFields(approval) &&
      typeof approval['when'] === 'string' &&
      approval['when'].length <= expressionLengthMax
    ) {
      approvals.set(tool, { when: approval['when'] })
    } else {
      complain(`data.approvals.${tool}`, 'must be "never", "always" or {"when": "<expression>"}')
      // a policy that cannot be read must not become permission
      approvals.set(tool, 'always')
    }
  }
  return approvals
}

function readWorkerPool(value: unknown, complain: Complain): string | null {
  if (isAbsent(value)) return null
  if (typeof value === 'string' && poolName.test(value)) return value
  complain(
    'data.worker_pool',
    'must be the name of a pool: 1 to 32 small letters, digits and -, beginning with a letter',
  )
  return null
}

function readCalls(value: unknown, complain: Complain): BuildConfig['calls'] {
  const calls: BuildConfig['calls'] = new Map()
  const what = 'an object of tool names, such as {"http_request": "alone"}'
  for (const [tool, way] of Object.entries(readFields(value, 'data.calls', what, complain) ?? {})) {
    if (way === 'alone' || way === 'together') calls.set(tool, way)
    else complain(`data.calls.${tool}`, 'must be "alone" or "together"')
  }
  return calls
}
