// What the address of the list of agents holds: the words searched for, the page, and how a new agent begins.
import { chosen, oneOf, text, whole, type RawSearch } from '../../app/search.ts'

export const beginnings = ['blank', 'template', 'described'] as const
export type Beginning = (typeof beginnings)[number]

export const readAgentsSearch = (raw: RawSearch) =>
  chosen({
    search: text(raw['search'])?.slice(0, 200),
    page: whole(raw['page']),
    new: oneOf(beginnings, raw['new']),
  })

export type AgentsSearch = ReturnType<typeof readAgentsSearch>
