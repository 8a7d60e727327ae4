// What the address of the gallery holds: whose artifacts, the words searched for, the page, and whether a new one is being made.
import { chosen, oneOf, text, whole, type RawSearch } from '../../app/search.ts'

export const scopes = ['created', 'team', 'shared'] as const

export const readArtifactsSearch = (raw: RawSearch) =>
  chosen({
    scope: oneOf(scopes, raw['scope']),
    search: text(raw['search'])?.slice(0, 200),
    page: whole(raw['page']),
    new: oneOf(['page'], raw['new']),
  })
