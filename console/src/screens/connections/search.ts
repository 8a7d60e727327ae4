// What the address of the connections holds: the tab, the words, the state, the open dialog with whom it is about, and how an authorisation
// ended.
import { chosen, oneOf, text, type RawSearch } from '../../app/search.ts'

export const connectionTabs = ['connected', 'catalogue', 'secrets', 'logins', 'skills', 'files'] as const
export const connectionStates = ['active', 'action_required', 'disabled'] as const
export const newKinds = ['mcp', 'api', 'secret', 'login', 'skill', 'file'] as const

/** `status`, `connection_id` and `error` are what the service adds to the address that it sends the browser back to. */
export const readConnectionsSearch = (raw: RawSearch) =>
  chosen({
    tab: oneOf(connectionTabs, raw['tab']),
    search: text(raw['search'])?.slice(0, 200),
    state: oneOf(connectionStates, raw['state']),
    new: oneOf(newKinds, raw['new']),
    edit: text(raw['edit'])?.slice(0, 100),
    remove: text(raw['remove'])?.slice(0, 100),
    status: oneOf(['connected', 'failed'] as const, raw['status']),
    connection_id: text(raw['connection_id'])?.slice(0, 100),
    error: text(raw['error'])?.slice(0, 100),
  })

export type ConnectionsSearch = ReturnType<typeof readConnectionsSearch>
