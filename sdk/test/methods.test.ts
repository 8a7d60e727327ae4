// Every operation is one method of the SDK.
import assert from 'node:assert/strict'
import { features } from '../../server/src/features.ts'
import { clientCallOf } from '../../server/src/kit/clientCall.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { Runyard } from '../src/index.ts'

proves('sdk.fresh', 'every operation has a method of its own', () => {
  const runyard = new Runyard({ apiKey: 'none' })
  const operations = features.flatMap((one) => one.operations)
  const names = operations.map(({ id, client }) => client ?? `${id} has no name for clients`)
  assert.equal(new Set(names).size, names.length)
  const missing = operations.filter((operation) => {
    const call = clientCallOf(operation)
    // an upload by hand stands for the operation that takes bytes
    if (!call || call.input === 'bytes') return !call
    const group = runyard[call.group] as unknown as Record<string, unknown>
    return typeof group[call.method] !== 'function'
  })
  assert.deepEqual(
    missing.map(({ id }) => id),
    [],
  )
})
