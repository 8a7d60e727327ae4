// Holds the served OpenAPI document against the fixed operations of the public contract, to the letter.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Compile } from 'typebox/schema'
import { features } from '../src/features.ts'
import { testApp } from './kit/testApp.ts'
import { proves, provesTogether } from './kit/proves.ts'

interface Fixed {
  operationId: string
  method: string
  path: string
  query: string[]
  success: number
  wrapper: string[] | null
}

interface Described {
  operationId: string
  parameters: { in?: string; name?: string }[]
  responses: Record<
    string,
    { content?: { 'application/json'?: { schema: { properties: object; additionalProperties?: boolean } } } }
  >
}

const fixed = JSON.parse(await readFile(new URL('./contract/operations.json', import.meta.url), 'utf8')) as Fixed[]
/** Optional ones that the contract's page names beside those of the list. */
const furtherQuery: Record<string, string[]> = { callMcp: ['toolsets', 'readonly', 'schemas'] }
const service = await testApp()
service.work('sandboxes')
const { body: document } = await service.call('GET /openapi.json')
const operations = new Map<string, { path: string; method: string; described: Described }>()
for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, Described>>)) {
  for (const [method, described] of Object.entries(methods)) {
    operations.set(described.operationId, { path, method: method.toUpperCase(), described })
  }
}

provesTogether('contract.fixed', 'the fixed operations that exist so far', () => {
  for (const wanted of fixed) {
    const found = operations.get(wanted.operationId)
    if (!found) continue
    test(`${wanted.operationId} is as the contract has it`, () => {
      assert.equal(found.method, wanted.method)
      assert.equal(found.path, wanted.path)
      assert.ok(found.described.responses[wanted.success], `answers ${wanted.success}`)
      const query = found.described.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name!)
      const taken = [...wanted.query, ...(furtherQuery[wanted.operationId] ?? [])]
      assert.deepEqual(query.toSorted(), taken.toSorted())
      if (wanted.wrapper) {
        const { schema } = found.described.responses[wanted.success]!.content!['application/json']!
        assert.deepEqual(Object.keys(schema.properties), wanted.wrapper)
        assert.equal(schema.additionalProperties, false)
      } else {
        // a file or nothing has no schema that could be closed
        const json = found.described.responses[wanted.success]!.content?.['application/json']
        assert.notEqual(json?.schema.additionalProperties, false, 'an answer without a fixed wrapper may grow')
      }
    })
  }

  test('are counted, and none is served under a name of the contract at another place', (t) => {
    const places = new Map(fixed.map((one) => [`${one.method} ${one.path}`, one.operationId]))
    for (const [id, { method, path }] of operations) {
      const place = `${method} ${path}`
      assert.equal(places.get(place) ?? id, id, `${place} belongs to ${places.get(place)}`)
    }
    const present = fixed.filter(({ operationId }) => operations.has(operationId)).length
    t.diagnostic(`${present} of ${fixed.length} fixed operations are served`)
    assert.ok(present > 0)
  })
})

proves(
  'openapi.complete',
  'every operation documents all error statuses, the rate-limit headers and the idempotency key',
  () => {
    assert.ok(operations.size > 100)
    for (const [id, { method, described }] of operations) {
      for (const status of ['400', '401', '403', '404', '409', '429', '500'])
        assert.ok(described.responses[status], `${id} ${status}`)
      const success = Object.entries(described.responses).find(([status]) => status.startsWith('2'))![1] as {
        headers: object
      }
      for (const name of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After']) {
        assert.ok(name in success.headers, `${id} ${name}`)
      }
      const takesKey = JSON.stringify(described.parameters).includes('IdempotencyKey')
      assert.equal(takesKey, method !== 'GET', id)
    }
    assert.equal(document.openapi, '3.1.0')
    assert.equal(document.info.version, '2026-07-18')
    assert.equal(Object.keys(document.webhooks).length, 15)
  },
)

proves('openapi.examples', 'every example in the document fits its schema', () => {
  // those of errors are the same in many places
  const checked = new Set<string>()
  const walk = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { schema, example } = value as { schema?: object; example?: unknown }
    const text = JSON.stringify([schema, example])
    if (schema !== undefined && example !== undefined && !checked.has(text)) {
      checked.add(text)
      // the whole document is the place where a $ref is looked up
      const validator = Compile({ ...schema, components: document.components })
      if (!validator.Check(example)) assert.fail(`${place}: ${JSON.stringify(validator.Errors(example)[1])}`)
    }
    for (const [key, one] of Object.entries(value)) walk(one, `${place}.${key}`)
  }
  walk(document.paths, 'paths')
  walk(document.webhooks, 'webhooks')
  walk(document.components, 'components')
  assert.ok(checked.size > operations.size, `${checked.size} examples`)
})

proves('openapi.boundedUrls', 'every address that a caller can give is bounded', () => {
  const unbounded: string[] = []
  let found = 0
  const walk = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { format, maxLength } = value as { format?: string; maxLength?: number }
    if (format === 'uri') found += 1
    if (format === 'uri' && !(maxLength !== undefined && maxLength <= 2048)) unbounded.push(place)
    for (const [key, one] of Object.entries(value)) walk(one, `${place}.${key}`)
  }
  for (const [id, { described }] of operations) walk((described as { requestBody?: object }).requestBody, id)
  assert.ok(found > 5, `${found} addresses`)
  assert.deepEqual(unbounded, [])
})

proves(
  'openapi.served',
  'the document is served at both addresses, the reference and llms.txt from our own origin',
  async () => {
    assert.deepEqual((await service.call('GET /v2/openapi.json')).body, document)
    const page = await service.call('GET /docs/')
    assert.equal(page.status, 200)
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
    assert.deepEqual(sources, ['js/scalar.js'])
    assert.match(page.headers['content-security-policy'] ?? '', /connect-src 'self'/)
    const script = await service.call('GET /docs/js/scalar.js')
    assert.equal(script.status, 200)
    assert.ok(script.text.length > 100_000)
    const llms = await service.call('GET /llms.txt')
    for (const id of operations.keys()) assert.ok(llms.text.includes(id))
  },
)

proves(
  'docs.samples',
  'the served document has a sample of the SDK and of the command line for every operation',
  () => {
    for (const [id, { described }] of operations) {
      const samples = (described as { 'x-codeSamples'?: { label: string; source: string }[] })['x-codeSamples'] ?? []
      assert.deepEqual(
        samples.map(({ label }) => label),
        ['SDK', 'CLI'],
        id,
      )
    }
  },
)

proves(
  'docs.models',
  'the texts for models name every operation with its method of the SDK and its command',
  async () => {
    const { text: page } = await service.call('GET /llms.txt')
    const { text: full } = await service.call('GET /llms-full.txt')
    for (const text of [page, full]) assert.match(text, /@runyard\/sdk[^]*runyard call OPERATION/)
    const declared = features.flatMap((feature) => feature.operations)
    assert.equal(declared.length, operations.size)
    for (const { id, client, body, query } of declared) {
      const line = page.split('\n').find((one) => one.includes(`(${id}, `)) ?? ''
      assert.ok(line.includes(`SDK \`${client}\``), id)
      const section = full.split(/^### /m).find((one) => one.startsWith(`${id}\n`)) ?? ''
      assert.ok(section.includes(`runyard call ${id}`), id)
      const call = id === 'uploadSandboxFile' ? 'sandboxes.upload' : client
      assert.ok(section.includes(`runyard.${call}(`), `${id}: ${call}`)
      for (const name of Object.keys({ ...body?.properties, ...query?.properties }))
        assert.match(section, new RegExp(`^- \`${name}\\??\` `, 'm'), `${id}: ${name}`)
    }
  },
)
