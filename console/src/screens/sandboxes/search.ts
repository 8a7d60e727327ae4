// What the address of the list of sandboxes holds.
import { chosen, oneOf, whole, type RawSearch } from '../../app/search.ts'

export const readSandboxesSearch = (raw: RawSearch) =>
  chosen({
    of: oneOf(['runs'], raw['of']),
    page: whole(raw['page']),
    new: oneOf(['sandbox'], raw['new']),
  })
