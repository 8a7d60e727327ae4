// The parts of a config that a form can change, read from it and written back. What a form does not know stays as it is.
import type { BuildConfig } from '@runyard/sdk'
import { withData } from '../draft/buildConfig.ts'

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : undefined

/** Empty objects are left out, so that a config that was opened and closed is the same. */
const orNothing = (fields: Fields): Fields | undefined => (Object.keys(fields).length === 0 ? undefined : fields)

/** One model, or several with commas between them in the order in which they are asked. Undefined: the default of the team. */
export function modelOf({ data }: BuildConfig): string | undefined {
  const { agent } = fieldsOf(data['models'])
  const names = (Array.isArray(agent) ? agent : [agent]).map((one) => fieldsOf(one)['model'])
  const texts = names.filter((name): name is string => typeof name === 'string')
  return texts.length > 0 ? texts.join(',') : undefined
}

export function withModel(config: BuildConfig, model: string): BuildConfig {
  const models = fieldsOf(config.data['models'])
  const before: unknown = models['agent']
  // what else the first model has, it keeps
  const { model: _before, ...agent } = fieldsOf(Array.isArray(before) ? before[0] : before)
  const names = model.split(',').map((name) => name.trim())
  const next =
    names.length > 1
      ? names.map((name, index) => ({ ...(index === 0 && agent), model: name }))
      : names[0] === ''
        ? orNothing(agent)
        : { ...agent, model: names[0] }
  const { agent: _old, ...rest } = models
  return withData(config, 'models', orNothing({ ...rest, ...(next && { agent: next }) }))
}

/** Undefined: the usual ones. */
export const listOf = ({ data }: BuildConfig, key: 'plugins' | 'connections' | 'subAgents'): string[] | undefined =>
  textsOf(data[key])

export const limitNames = ['max_steps', 'max_duration_s', 'max_cost_usd', 'max_tokens', 'max_concurrent_runs'] as const
export type LimitName = (typeof limitNames)[number]

export function limitOf({ data }: BuildConfig, name: LimitName): string {
  const value = fieldsOf(data['limits'])[name]
  return typeof value === 'number' || typeof value === 'string' ? String(value) : ''
}

/** What is no number is kept as text, and the server says what is wrong with it. */
export function withLimit(config: BuildConfig, name: LimitName, text: string): BuildConfig {
  const { [name]: _before, ...rest } = fieldsOf(config.data['limits'])
  const value = text.trim() === '' ? undefined : Number.isFinite(Number(text)) ? Number(text) : text
  return withData(config, 'limits', orNothing({ ...rest, ...(value !== undefined && { [name]: value }) }))
}

export interface ApprovalRule {
  tool: string
  rule: 'never' | 'always' | 'when'
  when: string
}

export const approvalsOf = ({ data }: BuildConfig): ApprovalRule[] =>
  Object.entries(fieldsOf(data['approvals'])).map(([tool, value]) => {
    if (value === 'never' || value === 'always') return { tool, rule: value, when: '' }
    const { when } = fieldsOf(value)
    return { tool, rule: 'when', when: typeof when === 'string' ? when : '' }
  })

export const withApprovals = (config: BuildConfig, rules: ApprovalRule[]): BuildConfig =>
  withData(
    config,
    'approvals',
    orNothing(Object.fromEntries(rules.map(({ tool, rule, when }) => [tool, rule === 'when' ? { when } : rule]))),
  )

/** Everything but the procedure, as text that one can edit. */
export function restOf({ data }: BuildConfig): string {
  const { input: _input, ...rest } = data
  return JSON.stringify(rest, null, 2)
}

/** Undefined: the text is not a JSON object. */
export function withRest(config: BuildConfig, text: string): BuildConfig | undefined {
  let rest: unknown
  try {
    rest = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isFields(rest)) return undefined
  const { input } = config.data
  return { ...config, data: { ...(input !== undefined && { input }), ...rest } }
}
