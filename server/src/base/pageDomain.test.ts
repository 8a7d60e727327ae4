// Which pages are of a domain: those of exactly that host, and none that only look like it.
import assert from 'node:assert/strict'
import { proves } from '../../test/kit/proves.ts'
import { isOfDomain, readDomain } from './pageDomain.ts'

proves('logins.domain', 'only pages of exactly the domain fit, encrypted or of this machine', () => {
  const fitting = [
    ['https://shop.example.com/login?next=/', 'shop.example.com'],
    ['https://SHOP.example.com:443/', 'shop.example.com'],
    ['https://a.example.com/', '*.example.com'],
    ['https://b.a.example.com/', '*.example.com'],
    ['http://127.0.0.1:4000/', '127.0.0.1:4000'],
  ] as const
  for (const [url, domain] of fitting) assert.ok(isOfDomain(url, domain), `${url} is of ${domain}`)
  const others = [
    ['https://shop.example.com.evil.example/', 'shop.example.com'],
    ['https://evilshop.example.com/', 'shop.example.com'],
    ['https://evil.example/shop.example.com', 'shop.example.com'],
    ['https://shop.example.com@evil.example/', 'shop.example.com'],
    ['https://sh\u043Ep.example.com/', 'shop.example.com'],
    ['https://shop.example.com./', 'shop.example.com'],
    ['https://shop.example.com:8443/', 'shop.example.com'],
    ['http://shop.example.com/', 'shop.example.com'],
    ['https://example.com/', '*.example.com'],
    ['https://evilexample.com/', '*.example.com'],
    ['http://127.0.0.1:4001/', '127.0.0.1:4000'],
    ['http://localhost:4000/', '127.0.0.1:4000'],
    ['about:blank', 'shop.example.com'],
    ['data:text/html,shop.example.com', 'shop.example.com'],
    ['blob:https://shop.example.com/1', 'shop.example.com'],
    ['', 'shop.example.com'],
  ] as const
  for (const [url, domain] of others) assert.ok(!isOfDomain(url, domain), `${url} is not of ${domain}`)
})

function read(text: string): string | undefined {
  const found = readDomain(text)
  return 'domain' in found ? found.domain : undefined
}

proves('logins.domain', 'a domain is a host in the spelling of URLs', () => {
  assert.deepEqual(
    ['Shop.Example.com', '*.example.com', 'm\u00FCnchen.example', 'a.example:8443', 'a.example:443'].map(read),
    ['shop.example.com', '*.example.com', 'xn--mnchen-3ya.example', 'a.example:8443', 'a.example'],
  )
  for (const text of ['https://a.example', 'a.example/x', 'a b', 'u@a.example', '*.com', '*', 'a.example?x', '']) {
    assert.equal(read(text), undefined, text)
  }
})
