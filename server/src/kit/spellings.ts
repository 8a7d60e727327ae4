// Other spellings of a field, accepted beside its own. A schema declares them, and a request is rewritten before it is checked.
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from './schema.ts'

interface Spellings {
  /** Further names of the field. */
  names?: readonly string[]
  /** Further words for its value, or for the items of a list, each with our word for it. */
  words?: Readonly<Record<string, string>>
  /** Text with commas between the items stands for the list. */
  commas?: true
}

/** A hidden key, since it is not a keyword of JSON Schema; TypeBox keeps it when it makes a schema optional. */
const mark = '~spellings'

interface Part {
  [mark]?: Spellings
  description?: string
  anyOf?: Part[]
  items?: Part
  properties?: Record<string, Part>
}

/** Declares other spellings and adds them to the description. It stands outermost, around `Type.Optional` and `nullable`. */
export function spelled<T extends TSchema>(schema: T, spellings: Spellings): T {
  const copied = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Part
  copied.description = [copied.description, ...sentencesOf(spellings)].filter(Boolean).join(' ')
  return Object.defineProperty(copied, mark, { value: spellings, enumerable: false, configurable: true }) as T
}

function sentencesOf({ names, words, commas }: Spellings): string[] {
  const pairs = Object.entries(words ?? {}).map(([other, own]) => `\`${other}\` for \`${own}\``)
  return [
    names ? `Also accepted as ${names.map((name) => `\`${name}\``).join(', ')}.` : '',
    pairs.length > 0 ? `Also accepted: ${pairs.join(', ')}.` : '',
    commas ? 'Also accepted as one text with commas between the items.' : '',
  ].filter((sentence) => sentence !== '')
}

export const spellingsOf = (schema: object): Spellings => (schema as Part)[mark] ?? {}

/** Lists every name that a field of this object may have in a request. */
export const acceptedNames = (schema: { properties: Record<string, object> } | undefined): string[] =>
  Object.entries(schema?.properties ?? {}).flatMap(([name, one]) => [name, ...(spellingsOf(one).names ?? [])])

export const differing = (name: string, other: string): string =>
  `${other} is another spelling of ${name}, and the two differ. Send one of them.`

/** Translates each of the words between commas into ours. */
export const inOwnWords = (schema: object, text: string): string => {
  const { words } = spellingsOf(schema)
  if (!words) return text
  return text
    .split(',')
    .map((word) => ownWord(words, word))
    .join(',')
}

const ownWord = (words: Readonly<Record<string, string>>, word: string): string =>
  (Object.hasOwn(words, word) ? words[word] : undefined) ?? word

/** Maps our name of a field to the name under which it came. */
export type Used = Map<string, string>

/** Rewrites a body in place, at every level, and returns what replaces the value itself. */
export function respell(schema: Part, value: unknown, problems: string[], used: Used): unknown {
  if (!holdsSpellings(schema)) return value
  let own = ownValue(spellingsOf(schema), value)
  for (const part of schema.anyOf ?? []) own = respell(part, own, problems, used)
  if (Array.isArray(own) && schema.items) {
    for (const [index, item] of own.entries()) own[index] = respell(schema.items, item, problems, used)
  } else if (typeof own === 'object' && own !== null && schema.properties) {
    respellFields(schema.properties, own as Record<string, unknown>, problems, used)
  }
  return own
}

function respellFields(
  properties: Record<string, Part>,
  fields: Record<string, unknown>,
  problems: string[],
  used: Used,
): void {
  for (const [name, part] of Object.entries(properties)) {
    for (const other of spellingsOf(part).names ?? []) {
      if (!Object.hasOwn(fields, other)) continue
      const [mine, theirs] = [fields[name], fields[other]]
      if (isAbsent(mine)) {
        fields[name] = theirs
        used.set(name, other)
      }
      if (!isAbsent(mine) && !isDeepStrictEqual(mine, theirs)) problems.push(differing(name, other))
    }
    if (Object.hasOwn(fields, name)) fields[name] = respell(part, fields[name], problems, used)
  }
}

/** A problem names its field as the caller spelled it. */
export function asSpelled(problem: string, used: Used): string {
  const [name = ''] = /^\w+/.exec(problem) ?? []
  const other = used.get(name)
  return other === undefined ? problem : `${other}${problem.slice(name.length)}`
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

function ownValue({ words, commas }: Spellings, value: unknown): unknown {
  if (typeof value === 'string' && commas) {
    const items = value.split(',').map((item) => item.trim())
    return ownValue({ ...(words && { words }) }, items)
  }
  if (!words) return value
  const own = (item: unknown): unknown => (typeof item === 'string' ? ownWord(words, item) : item)
  return Array.isArray(value) ? value.map(own) : own(value)
}

const holders = new WeakMap<Part, boolean>()

function holdsSpellings(schema: Part): boolean {
  let holds = holders.get(schema)
  if (holds === undefined) {
    const parts = [
      ...(schema.anyOf ?? []),
      ...(schema.items ? [schema.items] : []),
      ...Object.values(schema.properties ?? {}),
    ]
    holds = schema[mark] !== undefined || parts.some(holdsSpellings)
    holders.set(schema, holds)
  }
  return holds
}
