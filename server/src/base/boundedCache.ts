// The one cache of the service. Its number of entries, and the total size of large ones, are bounded; the least recently used go first.

interface CacheBounds<Value> {
  /** The name of the cache in `cacheSizes`. */
  name: string
  entriesMax: number
  /** Bounds the sum of the sizes of all entries, for caches whose entries differ much in size. */
  sizeMax?: number
  sizeOf?: (value: Value, key: string) => number
}

interface Entry<Value> {
  value: Value
  size: number
}

interface Sized {
  readonly name: string
  readonly entries: number
  readonly size: number
}

export class BoundedCache<Value> implements Sized {
  readonly name: string
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #bounds: Required<CacheBounds<Value>>
  #size = 0

  constructor(bounds: CacheBounds<Value>) {
    this.name = bounds.name
    this.#bounds = { sizeMax: Number.POSITIVE_INFINITY, sizeOf: () => 0, ...bounds }
    known.add(new WeakRef<Sized>(this))
  }

  get entries(): number {
    return this.#entries.size
  }

  get size(): number {
    return this.#size
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    // a Map keeps the order of insertion, so an entry that is used moves to the end
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: Value): void {
    this.delete(key)
    const { entriesMax, sizeMax, sizeOf } = this.#bounds
    const size = sizeOf(value, key)
    if (size > sizeMax) return
    this.#entries.set(key, { value, size })
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= entriesMax && this.#size <= sizeMax) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#size -= entry.size
  }

  /** The value of a key; it is made if it is missing. */
  getOrMake(key: string, make: () => Value): Value {
    const found = this.get(key)
    if (found !== undefined) return found
    const made = make()
    this.set(key, made)
    return made
  }
}

/** The references are weak, so that a cache of a closed service can be freed. */
const known = new Set<WeakRef<Sized>>()

/** Lists every live cache of this process with its current size. */
export function cacheSizes(): Sized[] {
  const sizes: Sized[] = []
  for (const reference of known) {
    const cache = reference.deref()
    if (cache) sizes.push({ name: cache.name, entries: cache.entries, size: cache.size })
    else known.delete(reference)
  }
  return sizes
}

/** Forgets the entry that was added first. */
export function forgetOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
