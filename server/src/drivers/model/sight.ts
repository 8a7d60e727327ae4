// Which files a model takes as input besides text: a table by families of models, which the operator's setting overrides.
import { pdfType, pictureTypes, type SeenType } from '../../base/fileKind.ts'
import type { SightWord } from '../../base/settingKinds.ts'
import { plainName } from './googleNames.ts'

/** The types of files that a model takes. */
export type Sight = ReadonlySet<SeenType>

const byWord: Record<SightWord, Sight> = {
  none: new Set(),
  pictures: new Set(pictureTypes),
  pdf: new Set([pdfType]),
  'pictures+pdf': new Set([...pictureTypes, pdfType]),
}

export const blind: Sight = byWord.none
const all = byWord['pictures+pdf']

/**
 * From the providers' pages on their models, November 2026; the first that fits counts. What stands nowhere takes text alone: a model
 * without eyes refuses the whole request.
 */
const table: [name: RegExp, sight: Sight][] = [
  [/^anthropic:claude-(?:2|instant)/, blind],
  [/^anthropic:claude-3-(?:haiku|sonnet|opus)/, byWord.pictures],
  [/^anthropic:claude-/, all],
  [/^openai:(?:gpt-3|gpt-4(?:-\d{4}|-32k|$)|o1-mini|o1-preview|o3-mini)/, blind],
  [/^openai:gpt-4-(?:turbo|vision)/, byWord.pictures],
  [/^openai:(?:gpt-(?:4o|4\.1|[5-9])|o\d)/, all],
  // Gemini lists no GIF among its pictures
  [/^google:gemini-/, new Set<SeenType>(['image/png', 'image/jpeg', 'image/webp', pdfType])],
  [/^google:gemma-[3-9]/, new Set<SeenType>(['image/png', 'image/jpeg', 'image/webp'])],
]

export type SightOf = (model: string) => Sight

/** `given` is the setting: by whole names, or by `provider:*` for all models of a provider. */
export function createSight(given: Record<string, SightWord>): SightOf {
  const own = new Map(Object.entries(given))
  return (model) => {
    const plain = plainName(model)
    const word = own.get(model) ?? own.get(plain) ?? own.get(`${model.slice(0, model.indexOf(':'))}:*`)
    if (word !== undefined) return byWord[word]
    return table.find(([name]) => name.test(plain))?.[1] ?? blind
  }
}
