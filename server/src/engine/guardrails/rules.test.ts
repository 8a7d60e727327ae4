// Patterns of tool names and hosts.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { fitsPattern, isAllowedHost } from './rules.ts'

proves('guardrails.patterns', 'a star stands for any characters, and all else for itself', () => {
  const fits: [string, string, boolean][] = [
    ['http_request', 'http_request', true],
    ['http_request', 'http_requests', false],
    ['browser_*', 'browser_open', true],
    ['browser_*', 'browser_', true],
    ['*__transfer', 'bank__transfer', true],
    ['*__transfer', 'bank__transfer_all', false],
    ['bank__*_all', 'bank__transfer_all', true],
    ['*', 'anything', true],
    ['**a*', 'banana', true],
    ['a.b', 'aXb', false],
    ['', 'a', false],
  ]
  for (const [pattern, name, expected] of fits) assert.equal(fitsPattern(pattern, name), expected, `${pattern} ${name}`)
})

proves('guardrails.patterns', 'a hostile pattern takes few steps', () => {
  // a backtracking matcher would take longer than the universe is old
  assert.equal(fitsPattern(`${'*a'.repeat(99)}*b`, 'a'.repeat(200)), false)
})

proves('guardrails.hosts', 'a host is allowed by its name or below a name', () => {
  const allowed = ['api.example.com', '*.example.org', '10.0.0.7']
  const hosts: [string, boolean][] = [
    ['api.example.com', true],
    ['www.api.example.com', false],
    ['example.org', false],
    ['a.example.org', true],
    ['a.b.example.org', true],
    ['evilexample.org', false],
    ['*.example.org', true],
    ['*.b.example.org', true],
    ['*.example.com', false],
    ['10.0.0.7', true],
  ]
  for (const [host, expected] of hosts) assert.equal(isAllowedHost(allowed, host), expected, host)
})
