// The list of hosts that sandboxes may reach: what an entry lets through, and what it does not.
import assert from 'node:assert/strict'
import { allowedHosts, mayReachUrl } from './allowedHosts.ts'
import { proves } from '../../../test/kit/proves.ts'

proves('sandbox.hosts', 'an entry lets through its host, its port, or the names below it', () => {
  const mayReach = allowedHosts([
    'api.example.com',
    'Other.example:8443',
    '*.wide.example',
    '10.0.0.7',
    '[::1]:80',
    'fe80::1',
  ])
  const reached = (url: string): boolean => mayReachUrl(mayReach, new URL(url))
  const allowed = [
    'https://api.example.com/',
    'http://API.example.com.:8080/x',
    'https://other.example:8443/',
    'https://a.wide.example/',
    'http://a.b.wide.example:81/',
    'http://10.0.0.7/',
    'http://[::1]/',
    'http://[fe80::1]:99/',
  ]
  const refused = [
    'https://example.com/',
    'https://evil-api.example.com/',
    'https://api.example.com.evil.net/',
    'https://other.example/',
    'https://wide.example/',
    'https://notwide.example/',
    'http://[::1]:81/',
    'http://169.254.169.254/',
    'https://evil.net/?api.example.com',
    'https://api.example.com@evil.net/',
  ]
  assert.deepEqual(
    allowed.filter((url) => !reached(url)),
    [],
  )
  assert.deepEqual(refused.filter(reached), [])
  assert.equal(allowedHosts([])('api.example.com', 443), false)
})

proves('sandbox.hosts', 'an entry that is not a host is refused with a sentence, not ignored', () => {
  for (const entry of ['https://api.example.com', 'a b', '*', '*.', 'a.*.example', 'host:99999', 'a/b', '']) {
    assert.throws(() => allowedHosts([entry]), /RUNYARD_SANDBOX_HOSTS: ".*" is not a host\. Write names like/, entry)
  }
})
