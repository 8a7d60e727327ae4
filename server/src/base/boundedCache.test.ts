// The bounded cache: what it keeps, what it drops first, and that it reports its size.
import assert from 'node:assert/strict'
import { BoundedCache, cacheSizes } from './boundedCache.ts'
import { isTimezone } from './wallClock.ts'
import { proves } from '../../test/kit/proves.ts'

proves('bounds.caches', 'a cache keeps what was used last, within its number of entries and its size', () => {
  const cache = new BoundedCache<string>({
    name: 'tested',
    entriesMax: 3,
    sizeMax: 10,
    sizeOf: (value) => value.length,
  })
  for (const key of ['a', 'b', 'c']) cache.set(key, key)
  cache.get('a')
  cache.set('d', 'd')
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
    ['a', undefined, 'c', 'd'],
  )
  cache.set('e', 'x'.repeat(9))
  assert.deepEqual([cache.entries, cache.size], [2, 10])
  cache.set('f', 'x'.repeat(11))
  assert.equal(cache.get('f'), undefined, 'what is larger than the whole cache is not kept')
  cache.set('e', 'small')
  assert.equal(cache.size, 6)
  cache.delete('e')
  assert.deepEqual([cache.entries, cache.size], [1, 1])
  assert.equal(
    cache.getOrMake('g', () => 'made'),
    'made',
  )
  assert.deepEqual(
    cacheSizes().find(({ name }) => name === 'tested'),
    { name: 'tested', entries: 2, size: 5 },
  )
})

proves('bounds.caches', 'the clocks of all time zones and all their spellings take at most 200 entries', () => {
  for (const name of Intl.supportedValuesOf('timeZone')) {
    for (const spelling of [name, name.toUpperCase(), name.toLowerCase()]) assert.ok(isTimezone(spelling), spelling)
  }
  assert.equal(cacheSizes().find(({ name }) => name === 'time zones')?.entries, 200)
})
