// What the address of the page of parts holds: which part is shown alone.
import { chosen, text, type RawSearch } from '../../app/search.ts'

export const readPartsSearch = (raw: RawSearch) => chosen({ part: text(raw['part']) })
