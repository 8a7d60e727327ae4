// Operations that answer a file: its headers, its name, its length, how it is charged and documented, and how it is refused.
import assert from 'node:assert/strict'
import { readDocument } from '../../test/fuzz/document.ts'
import { proves } from '../../test/kit/proves.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { typedClient } from '../../test/kit/typedClient.ts'
import { contentDisposition } from '../base/contentDisposition.ts'
import type { FileAnswer } from './answerFile.ts'
import { feature } from './feature.ts'
import { operation } from './operation.ts'
import { Type } from './schema.ts'
import { teamTimeOf } from './teamTime.ts'

const files: Record<string, FileAnswer> = {
  page: {
    bytes: '<p>Grüße',
    type: 'text/html',
    headers: {
      'Content-Type': 'text/plain',
      'Content-Length': '1',
      'Cache-Control': 'public',
      'Content-Security-Policy': 'sandbox',
    },
  },
  named: { bytes: 'a,b\n', type: 'text/csv', name: 'Zahlen "1/2"\r\nx: y\u202e 😀\ud800.csv' },
  long: { bytes: `x${'😀'.repeat(300_000)}`, type: 'text/html' },
  binary: { bytes: Buffer.alloc(3_000_000, 0xff), type: 'application/pdf', name: 'page.pdf' },
  empty: { bytes: Buffer.alloc(0), type: 'application/pdf' },
  inPieces: { bytes: pieces(), type: 'application/pdf' },
  undeclared: { bytes: 'x', type: 'image/png' },
}

async function* pieces(): AsyncGenerator<Buffer> {
  for (let n = 0; n < 100; n++) yield Buffer.alloc(10_000, n)
}

const getProbeFile = operation({
  id: 'getProbeFile',
  route: 'GET /v2/probe-files/:word',
  summary: 'Read a file',
  scope: 'team:read',
  query: Type.Object({ theme: Type.Optional(Type.Union([Type.Literal('light'), Type.Literal('dark')])) }),
  status: 200,
  answerFile: { types: ['text/html', 'text/csv', 'application/pdf'], description: 'The file.' },
  errors: ['not_found'],
  handler: async ({ params, fail }) => files[params.word] ?? fail('not_found', 'There is no file of this name.'),
})

const service = await testApp({ features: [feature({ name: 'files of tests', operations: [getProbeFile] })] })
const team = await seedTeam(service)
const client = typedClient(service, team)
const get = (word: string) => client.file(getProbeFile, { params: { word } })

proves(
  'files.answered',
  'a file arrives as it is, with its type and length, and is never cached or guessed at',
  async () => {
    const { bytes, headers } = await get('page')
    assert.equal(bytes.toString(), '<p>Grüße')
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(headers.get('content-length'), String(bytes.length))
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('content-security-policy'), 'sandbox')
    assert.equal(headers.get('content-disposition'), null)
    assert.equal((await get('empty')).bytes.length, 0)
  },
)

proves('files.answered', 'files of megabytes arrive whole, text or not', async () => {
  for (const word of ['long', 'binary']) {
    const { bytes, headers } = await get(word)
    const wanted = files[word]!.bytes as Buffer | string
    assert.ok(bytes.equals(Buffer.from(wanted as string)), word)
    assert.equal(headers.get('content-length'), String(bytes.length))
  }
  assert.equal((await get('binary')).headers.get('content-type'), 'application/pdf')
})

proves('files.answered', 'a name of any characters makes an attachment and cannot write a header', async () => {
  const { headers } = await get('named')
  assert.equal(
    headers.get('content-disposition'),
    `attachment; filename="Zahlen _1_2___x: y_ ___.csv"; filename*=UTF-8''Zahlen%20%221_2%22__x%3A%20y_%20%F0%9F%98%80%EF%BF%BD.csv`,
  )
  assert.equal(headers.get('x'), null)
  assert.ok(contentDisposition('inline', 'n'.repeat(5000)).length < 500)
})

proves('files.answered', 'the team is charged for the bytes', async () => {
  const time = teamTimeOf(service.context)
  const moved = time.moved.bind(time)
  const charged: [string, number][] = []
  time.moved = (teamId, bytes) => void charged.push([teamId, bytes])
  await get('binary')
  time.moved = moved
  assert.deepEqual(charged, [[team.id, 3_000_000]])
})

proves('files.answered', 'a refusal is JSON, and a type that was not declared is a failure of ours', async () => {
  const missing = await client.refused(getProbeFile, { params: { word: 'none' } })
  assert.deepEqual(missing, { status: 404, error: 'not_found', message: 'There is no file of this name.' })
  const wrong = await service.call('GET /v2/probe-files/page?theme=blue', { key: team.key })
  assert.equal(wrong.body.error, 'invalid_request')
  assert.equal((await service.call('GET /v2/probe-files/page')).status, 401)
  assert.equal((await service.call('GET /v2/probe-files/undeclared', { key: team.key })).status, 500)
  assert.ok(service.logged.some((line) => line.includes('image/png, which the operation does not declare')))
  assert.equal((await service.app.inject({ method: 'HEAD', url: '/v2/probe-files/page' })).statusCode, 405)
  assert.equal(getProbeFile.tool, false)
})

proves('files.answered', 'the reference lists the types of the file', async () => {
  const { text, body } = await service.call('GET /openapi.json')
  const { description, content } = body.paths['/v2/probe-files/{word}'].get.responses['200']
  assert.equal(description, 'The file.')
  assert.deepEqual(content, {
    'text/html': { schema: { type: 'string' } },
    'text/csv': { schema: { type: 'string' } },
    'application/pdf': { schema: { type: 'string', format: 'binary' } },
  })
  const documented = readDocument(text).operations.find(({ id }) => id === 'getProbeFile')
  assert.deepEqual(documented?.answers.get(200)?.contentTypes, Object.keys(content))
})

proves('files.answered', 'a file that is made in pieces while it is sent arrives whole', async () => {
  const { bytes, headers } = await get('inPieces')
  assert.equal(bytes.length, 1_000_000)
  assert.ok(bytes.subarray(-10_000).every((byte) => byte === 99))
  assert.equal(headers.get('content-length'), null)
})
