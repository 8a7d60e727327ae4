// Ids are UUID v7 strings: sortable by the time at which they were made, and made in the process.
import { randomUUIDv7 } from 'node:crypto'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const newId = (): string => randomUUIDv7()

/** Ids are compared as text, so only the spelling that we hand out counts as one. */
export const isId = (text: string): boolean => uuid.test(text)

/** For a filter: text that is not an id becomes an id that cannot exist, so that the page is empty. */
export const idForFilter = (text: string): string => (isId(text) ? text : '00000000-0000-0000-0000-000000000000')

/** No id that is made at this time or later is smaller. */
export function firstIdAt(time: number | Date): string {
  const hex = Number(time).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** When an id was made, in milliseconds: it begins with that. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
