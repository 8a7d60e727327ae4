// What the address of keys and members holds: the open tab.
import { chosen, oneOf, type RawSearch } from '../../app/search.ts'

export const peopleTabs = ['members', 'sessions', 'keys'] as const

export const readPeopleSearch = (raw: RawSearch) => chosen({ tab: oneOf(peopleTabs, raw['tab']) })
