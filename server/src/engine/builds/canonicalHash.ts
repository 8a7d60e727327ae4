// Gives one text for one JSON value, whatever the order of its fields: PostgreSQL does not keep that order, so no hash may depend on it.
import { hash } from 'node:crypto'

export const canonicalHash = (value: unknown): string => hash('sha256', JSON.stringify(sorted(value)) ?? 'null')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
