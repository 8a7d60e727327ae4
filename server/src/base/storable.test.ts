// What PostgreSQL cannot hold is replaced before it is stored, and nothing else is changed.
import assert from 'node:assert/strict'
import { testApp } from '../../test/kit/testApp.ts'
import { storable, storableJson, storableText } from './storable.ts'
import { proves } from '../../test/kit/proves.ts'

const { context } = await testApp()
const { sql } = context.db

const read = async (json: string) => {
  const [row] = await sql<{
    stored: unknown
    text: string
  }>`select ${json}::jsonb as stored, ${json}::json #>> '{}' as text`
  return row!.stored
}

proves(
  'storable.values',
  'a NUL, half a character, a number out of range and endless nesting are replaced, and PostgreSQL takes the rest as it is',
  async () => {
    const value = {
      'k\u0000': [
        'a\u0000b',
        '\ud83d',
        '\udc00x',
        '😀',
        '\\u0000',
        '\\ud83d',
        'tab\t\u001b',
        Number.POSITIVE_INFINITY,
        1n,
      ],
    }
    const stored = {
      'k\ufffd': ['a\ufffdb', '\ufffd', '\ufffdx', '😀', '\\u0000', '\\ud83d', 'tab\t\u001b', null, '1'],
    }
    assert.deepEqual(storable(value), stored)
    assert.deepEqual(await read(storableJson(storable(value))), stored)
    const { 'k\u0000': items } = value
    assert.deepEqual(await read(storableJson({ 'k\u0000': items.slice(0, 7) })), {
      'k\ufffd': stored['k\ufffd'].slice(0, 7),
    })
    assert.equal(storableText('a\u0000\ud800'), 'a\ufffd\ufffd')
    let deep: unknown = 'end'
    for (let level = 0; level < 100_000; level++) deep = [deep]
    const told = await read(storableJson(storable({ deep })))
    assert.match(JSON.stringify(told), /nested deeper than 200 levels/)
  },
)
