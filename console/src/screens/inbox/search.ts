// What the address of the inbox holds: which requests are listed, in which order, of which agent, and which one is open.
import { chosen, oneOf, text, type RawSearch } from '../../app/search.ts'

export const inboxLists = ['waiting', 'mine', 'later', 'done'] as const

export type InboxList = (typeof inboxLists)[number]

/** Without a word for it: what waits, the closest deadline first. */
export const readInboxSearch = (raw: RawSearch) =>
  chosen({
    list: oneOf(inboxLists, raw['list']),
    request: text(raw['request']),
    agent_id: text(raw['agent_id']),
    sort: oneOf(['deadline', 'oldest'], raw['sort']),
  })

export type InboxSearch = ReturnType<typeof readInboxSearch>
