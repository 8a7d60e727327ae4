// A JSON value with the fields of its objects in order: equal values then have equal texts, whatever order they came in.

export function sortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedFields)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sortedFields(field)]),
  )
}
