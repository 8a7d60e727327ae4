// How many tokens one request to a model may hold: a table by families of models, which the operator's setting overrides.
import { plainName } from './googleNames.ts'

/** What a model counts with that nobody knows: most have more, and one that has less says so, which is then learned in the run. */
const unknownWindow = 128_000

const million = 1_000_000

/**
 * From the providers' pages on their models, November 2026; the first that fits counts. Where a provider bounds the input apart from the
 * output, it is the input. What is sold only on request does not count: the setting raises it.
 */
const table: [name: RegExp, tokens: number][] = [
  [/^anthropic:claude-(?:haiku-4|opus-4-[015]|opus-4$|sonnet-4-[05]|sonnet-4$|3)/, 200_000],
  [/^anthropic:claude-(?:opus|sonnet)-4-(?:\d{8})$/, 200_000],
  [/^anthropic:claude-/, million],
  [/^openai:gpt-4o/, 128_000],
  [/^openai:gpt-4\.1/, 1_047_576],
  [/^openai:o\d/, 200_000],
  [/^openai:gpt-5(?:\.[0-3])?(?:-|$)/, 272_000],
  [/^openai:gpt-5\.4-(?:mini|nano)/, 272_000],
  [/^openai:gpt-/, million],
  [/^google:gemini-/, 1_048_576],
]

type Windows = (model: string) => number

/** `given` is the setting: by whole names, or by `provider:*` for all models of a provider. */
export function createWindows(given: Record<string, number>): Windows {
  const own = new Map(Object.entries(given))
  return (model) => {
    const plain = plainName(model)
    return (
      own.get(model) ??
      own.get(plain) ??
      own.get(`${model.slice(0, model.indexOf(':'))}:*`) ??
      table.find(([name]) => name.test(plain))?.[1] ??
      unknownWindow
    )
  }
}
