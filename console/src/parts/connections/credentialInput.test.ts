// Which fields of a credential that somebody typed are sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credentialOf, emptyCredential, whyNotSent } from './credentialInput.ts'

test('a key is sent alone, or with the header that carries it', () => {
  assert.deepEqual(credentialOf({ ...emptyCredential, key: 'k' }), { api_key: 'k' })
  assert.deepEqual(credentialOf({ ...emptyCredential, key: 'k', header: ' X-Key ' }), {
    api_key: 'k',
    api_key_header: 'X-Key',
  })
  assert.match(whyNotSent(emptyCredential) ?? '', /missing/)
})

test('headers are one a line, and a value may have colons', () => {
  const typed = { ...emptyCredential, how: 'headers' as const, headers: 'X-One: a:b\n\n X-Two : c ' }
  assert.deepEqual(credentialOf(typed), { headers: { 'X-One': 'a:b', 'X-Two': 'c' } })
  assert.equal(whyNotSent(typed), undefined)
  for (const headers of ['', 'X-One', 'X-One:', ': value']) {
    assert.match(whyNotSent({ ...typed, headers }) ?? '', /one header a line/)
    assert.deepEqual(credentialOf({ ...typed, headers }), {})
  }
})

test('nothing of another way is sent', () => {
  const all = { key: 'k', header: 'X-Key', headers: 'X-One: a' }
  assert.deepEqual(credentialOf({ how: 'none', ...all }), {})
  assert.deepEqual(credentialOf({ how: 'oauth', ...all }), {})
})
