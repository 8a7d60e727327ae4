// What the address of an artifact holds: the open panel, and an earlier revision that is looked at.
import { chosen, oneOf, text, type RawSearch } from '../../app/search.ts'

export const panels = ['chat', 'revisions', 'data'] as const
export type Panel = (typeof panels)[number]

export const readArtifactSearch = (raw: RawSearch) =>
  chosen({ panel: oneOf(panels, raw['panel']), revision: text(raw['revision'])?.slice(0, 100) })
