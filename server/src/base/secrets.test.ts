// Sealing, token words and what the log lets through.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'
import { checksumWord, createKeyring, parseEncryptionKey, randomWord } from './secrets.ts'
import { proves } from '../../test/kit/proves.ts'

const keyring = createKeyring(Buffer.alloc(32, 1))

proves('secrets.sealed', 'a sealed value opens only with its key, its purpose and every byte in place', () => {
  const sealed = keyring.seal('the secret', 'webhook')
  assert.equal(keyring.open(sealed, 'webhook').toString(), 'the secret')
  assert.ok(!sealed.includes('the secret'))
  assert.notDeepEqual(keyring.seal('the secret', 'webhook'), sealed)
  assert.throws(() => keyring.open(sealed, 'other purpose'))
  assert.throws(() => createKeyring(Buffer.alloc(32, 2)).open(sealed, 'webhook'), /another encryption key/)
  for (let i = 0; i < sealed.length; i++) {
    const flipped = Buffer.from(sealed)
    flipped[i]! ^= 1
    assert.throws(() => keyring.open(flipped, 'webhook'), `byte ${i}`)
  }
})

test('keys are read as hex, base64 and base64url, and nothing else', () => {
  const key = Buffer.alloc(32, 0xfb)
  for (const text of [
    key.toString('hex'),
    key.toString('base64'),
    key.toString('base64url'),
    ` ${key.toString('base64')}\n`,
  ]) {
    assert.deepEqual(parseEncryptionKey(text), key)
  }
  for (const text of ['', 'abc', key.subarray(1).toString('hex'), 'x'.repeat(64)])
    assert.equal(parseEncryptionKey(text), undefined)
})

test('random words have their length and no letter is favoured', () => {
  const counts = new Map<string, number>()
  for (const letter of randomWord(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  assert.equal(counts.size, 62)
  for (const [letter, count] of counts) assert.ok(count > 800 && count < 1200, `${letter}: ${count}`)
  assert.equal(checksumWord('abc').length, 6)
})

proves('log.redacted', 'nothing that looks like one of our secrets reaches the log, wherever it hides', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const key = `ry_0123456789ab_${randomWord(40)}_abcdef`
  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
  log.info({ headers: { authorization: `Bearer ${key}` }, note: `key ${key}` }, `webhook ${secret}`)
  log.error({ err: new Error(`refused ryt_${randomWord(43)} and Basic dXNlcjpwYXNz`) }, 'failed')
  log.info('nothing to hide: ryan_smith')
  const text = lines.join('')
  for (const word of [key, secret, 'dXNlcjpwYXNz']) assert.ok(!text.includes(word), text)
  assert.doesNotMatch(text, /ryt_[A-Za-z0-9]{5}/)
  assert.ok(text.includes('failed'))
  assert.ok(text.includes('nothing to hide: ryan_smith'))
})
