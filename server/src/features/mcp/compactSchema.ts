// Shortens a schema or a description to what a model needs: every word of a tool list is read again in each conversation.

const wide = 10_000
/** Formats that JSON Schema itself knows; a checker may refuse a schema with another. */
const knownFormats = new Set(['date-time', 'date', 'time', 'uri', 'email'])

export function outline(schema: object): Record<string, unknown> {
  const said = Object.entries(schema).filter(([key, value]) => saysSomething(key, value))
  return Object.fromEntries(said.map(([key, value]) => [key, key === 'properties' ? named(value) : part(value)]))
}

/** Examples are for people, an object is open by default, and nobody reaches very wide limits by honest use. */
function saysSomething(key: string, value: unknown): boolean {
  if (key === 'examples' || (key === 'additionalProperties' && value === true)) return false
  if (key === 'patternProperties') return JSON.stringify(value) !== '{"^.*$":{}}'
  if (key === 'format') return knownFormats.has(value as string)
  return !(/^(min|max)/.test(key) && typeof value === 'number' && (value === 0 || Math.abs(value) >= wide))
}

/** The schema of an optional field without its null, if null means the same as leaving the field out. */
export function withoutNull(schema: object): object {
  const { anyOf, ...rest } = schema as { anyOf?: { type?: string }[] }
  const others = anyOf?.filter(({ type }) => type !== 'null') ?? []
  return others.length === 1 ? { ...others[0], ...rest } : schema
}

/** Below `properties` the keys are names of fields, whatever they are. */
const named = (properties: object): object =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, outline(schema as object)]))

function part(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(part)
  return typeof value === 'object' && value !== null ? outline(value) : value
}

const lengthMax = 200

/** The first sentences that fit, at least one. */
export function brief(text: string): string {
  const sentences = text.match(/.+?[.:](?= |$)/g) ?? [text]
  let kept = sentences[0]
  for (const sentence of sentences.slice(1)) {
    if (kept.length + sentence.length > lengthMax) break
    kept += sentence
  }
  return kept
}
