// The config of a build as the page reads it: its procedure as one text, and whether two configs are the same.
import type { Build, BuildConfig } from '@runyard/sdk'

interface Message {
  content?: unknown
}

const textOf = (content: unknown): string[] =>
  typeof content === 'string'
    ? [content]
    : Array.isArray(content)
      ? content.flatMap((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? [part.text] : []))
      : []

/** A procedure in messages becomes one text, with an empty line between them, as runs read it. */
export function procedureOf({ data }: BuildConfig): string {
  const { input } = data
  if (typeof input === 'string') return input
  return Array.isArray(input) ? input.flatMap((one: Message | null) => textOf(one?.content)).join('\n\n') : ''
}

export const isInMessages = ({ data }: BuildConfig): boolean => Array.isArray(data['input'])

export const withProcedure = (config: BuildConfig, input: string): BuildConfig =>
  procedureOf(config) === input ? config : { ...config, data: { ...config.data, input } }

/** A key that is undefined is left out of the config. */
export function withData(config: BuildConfig, key: string, value: unknown): BuildConfig {
  const { [key]: _before, ...rest } = config.data
  return { ...config, data: value === undefined ? rest : { ...rest, [key]: value } }
}

/** The server may answer the same keys in another order. */
const ordered = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

export const isSameConfig = (one: BuildConfig, other: BuildConfig): boolean =>
  one === other || JSON.stringify(one, ordered) === JSON.stringify(other, ordered)

/** A draft that nobody has named yet: what is typed is saved into it. Every other build stays as it is. */
export const isOpenDraft = ({ status, revision_name }: Build): boolean => status === 'draft' && revision_name === null

/** `Ask above 100 EUR`, or what can be said about a build without a name. */
export function buildTitle({ status, revision_name, revision_number }: Build): string {
  if (revision_name !== null) return revision_name
  if (status === 'draft') return 'Draft'
  return revision_number === 1 ? 'First build' : 'Without a name'
}
