// A JSON value with the fields of its objects as PostgreSQL gives them back from jsonb: shorter names first, then by their bytes.

export function inStoredOrder<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => inStoredOrder(item as unknown)) as T
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).toSorted(([a], [b]) => byName(a, b))
  return Object.fromEntries(fields.map(([name, field]) => [name, inStoredOrder(field as unknown)])) as T
}

function byName(a: string, b: string): number {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length - other.length || Buffer.compare(one, other)
}
