// What the address of the list of queues holds.
import { chosen, text, whole, type RawSearch } from '../../app/search.ts'

export const readQueuesSearch = (raw: RawSearch) =>
  chosen({
    search: text(raw['search'])?.slice(0, 200),
    page: whole(raw['page']),
    /** The dialog for a new one is open. */
    new: raw['new'] === true ? true : undefined,
  })
