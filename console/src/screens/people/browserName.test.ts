// What is shown for the header that a browser sends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName } from './browserName.ts'

test('browsers are named although each claims to be others', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
  assert.equal(browserName(chrome), 'Chrome 142 on Linux')
  assert.equal(browserName(`${chrome} Edg/142.0.0.0`), 'Edge 142 on Linux')
  assert.equal(
    browserName('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.1 Safari/605.1.15'),
    'Safari 26 on macOS',
  )
  assert.equal(browserName('curl/8.5.0'), 'curl/8.5.0')
  assert.equal(browserName(''), 'unknown')
})
