// What the address of keys and members holds: the open tab, and what of the audit log is shown.
import { chosen, oneOf, text, whole, type RawSearch } from '../../app/search.ts'

export const peopleTabs = ['members', 'sessions', 'keys', 'clients', 'models', 'guardrails', 'mcp', 'audit'] as const

export const readPeopleSearch = (raw: RawSearch) =>
  chosen({
    tab: oneOf(peopleTabs, raw['tab']),
    operation: text(raw['operation']),
    user_id: text(raw['user_id']),
    /** Days, as a date field writes them: `2026-11-17`. */
    since: text(raw['since']),
    until: text(raw['until']),
    page: whole(raw['page']),
  })

export type PeopleSearch = ReturnType<typeof readPeopleSearch>
