// Signed addresses: good for one method and one target, to the letter, until they expire, in every process with the same key.
import assert from 'node:assert/strict'
import { mock } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { Fault } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { createKeyring } from '../base/secrets.ts'
import type { Context } from './context.ts'
import { requireSignature, signedUrl, signedUrlOnce } from './signedUrl.ts'
import { proves } from '../../test/kit/proves.ts'

const baseUrl = 'https://runyard.example'
/** All that addresses need of a process. */
const processWith = (key: Buffer): Context =>
  ({ keyring: createKeyring(key), baseUrl: () => baseUrl, parts: new Map() }) as unknown as Context
const context = processWith(Buffer.alloc(32, 1))

const open = (url: string, method = 'GET', opener = context) =>
  requireSignature(opener, { method, originalUrl: url.replace(baseUrl, '') } as FastifyRequest)

const isRefused = (url: string, method?: string, opener?: Context): void =>
  assert.throws(
    () => open(url, method, opener),
    (error) => error instanceof Fault && error.status === 403,
  )

const target = {
  path: '/files/one/a%20b',
  query: { path: '/workspace/a b', bytes_max: '100' },
  teamId: newId(),
  validS: 900,
}

proves('signedUrls.exact', 'an address is good as it stands, and with no letter changed', () => {
  const url = signedUrlOnce(context, { method: 'GET', ...target })
  assert.ok(open(url).secondsLeft <= 900)
  for (let at = baseUrl.length; at < url.length; at++) {
    const other = url[at] === 'x' ? 'y' : 'x'
    isRefused(url.slice(0, at) + other + url.slice(at + 1))
  }
  for (const changed of [`${url}x`, url.slice(0, -1), `${url}&x=1`, url.replace('&signature', '&more=1&signature')]) {
    isRefused(changed)
  }
  isRefused(url.replace(/&signature=.*/, ''))
  isRefused(url.replace(/signature=.*/, 'signature='))
})

proves('signedUrls.exact', 'an address is good for its own method alone', () => {
  isRefused(signedUrlOnce(context, { method: 'PUT', ...target }), 'GET')
  isRefused(signedUrlOnce(context, { method: 'GET', ...target }), 'PUT')
  open(signedUrlOnce(context, { method: 'PUT', ...target }), 'PUT')
})

proves('signedUrls.shared', 'every process with the same encryption key knows it, and none with another', () => {
  const url = signedUrlOnce(context, { method: 'GET', ...target })
  open(url, 'GET', processWith(Buffer.alloc(32, 1)))
  isRefused(url, 'GET', processWith(Buffer.alloc(32, 2)))
})

proves(
  'signedUrls.expiry',
  'a signed URL ends with its time, also one that is shared by all who ask within its window',
  (t) => {
    mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 })
    t.after(() => mock.timers.reset())
    const once = signedUrlOnce(context, { method: 'GET', ...target })
    const shared = signedUrl(context, { method: 'GET', ...target })
    mock.timers.tick(899_000)
    assert.equal(signedUrl(context, { method: 'GET', ...target }), shared)
    assert.notEqual(signedUrlOnce(context, { method: 'GET', ...target }), once)
    assert.equal(open(once).secondsLeft, 1)
    mock.timers.tick(1001)
    isRefused(once)
    assert.notEqual(signedUrl(context, { method: 'GET', ...target }), shared)
    assert.ok(open(shared).secondsLeft > 0)
    mock.timers.tick(900_000)
    isRefused(shared)
  },
)
