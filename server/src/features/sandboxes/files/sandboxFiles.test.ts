// The files of a sandbox over HTTP: uploaded, listed, read and deleted.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before } from 'node:test'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp, type Answer } from '../../../../test/kit/testApp.ts'
import { registryOf } from '../../../kit/registry.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp({ config: { sandboxBytesMax: 64 * 1024 * 1024 } })
const team = await seedTeam(service)
const mebibyte = 1024 * 1024

let files = ''
before(async () => {
  const { body } = await team.call('POST /v2/sandboxes')
  files = `/v2/sandboxes/${body.sandbox_id}/files`
})

const put = (path: string, body: string | Buffer): Promise<Answer> =>
  team.call(`POST ${files}?path=${encodeURIComponent(path)}`, {
    body,
    headers: { 'content-type': 'application/octet-stream' },
  })
const read = (path: string): Promise<Answer> => team.call(`GET ${files}/content?path=${encodeURIComponent(path)}`)
const list = (path = ''): Promise<Answer> => team.call(`GET ${files}?path=${encodeURIComponent(path)}`)

/** A form as a browser writes it. */
async function sendForm(fields: [string, string | File][]): Promise<Answer> {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  const written = new Response(form)
  return team.call(`POST ${files}`, {
    body: Buffer.from(await written.arrayBuffer()),
    headers: { 'content-type': written.headers.get('content-type')! },
  })
}

proves('files.upload', 'a body of any type is the file at the path of the query', async () => {
  for (const type of ['application/octet-stream', 'application/json', 'text/plain; charset=latin1', 'nonsense']) {
    const answer = await team.call(`POST ${files}?path=any/thing.bin`, {
      body: '{no json',
      headers: { 'content-type': type },
    })
    assert.equal(answer.status, 201, type)
    assert.deepEqual(answer.body, { path: '/workspace/any/thing.bin', size_bytes: 8 })
  }
  assert.equal((await read('any/thing.bin')).body.content, '{no json')
  assert.equal((await team.call(`POST ${files}?path=empty`)).body.size_bytes, 0)
  assert.equal((await read('empty')).body.content, '')
  const nowhere = await team.call(`POST ${files}`, { body: 'text', headers: { 'content-type': 'text/plain' } })
  assert.equal(nowhere.status, 400)
  assert.match(nowhere.body.message, /path/)
})

proves('files.upload', 'a form brings a file, to the path it names or under the file’s own name', async () => {
  const bytes = randomBytes(3000)
  const named = await sendForm([
    ['path', 'from/form.bin'],
    ['file', new File([bytes], 'other.bin')],
  ])
  assert.deepEqual(named.body, { path: '/workspace/from/form.bin', size_bytes: 3000 })
  assert.equal((await read('from/form.bin')).body.content, bytes.toString('base64'))
  for (const name of ['été 1.txt', 'C:\\Users\\me\\été 1.txt', '/home/me/été 1.txt']) {
    assert.equal((await sendForm([['file', new File(['text'], name)]])).body.path, '/workspace/été 1.txt')
  }
})

proves('files.upload', 'a broken form, or one without a file or with more than one, is refused', async () => {
  const file = new File(['text'], 'a.txt')
  const forms: [string, string | File][][] = [
    [['path', 'a.txt']],
    [['file', 'only text']],
    [
      ['file', file],
      ['file', file],
    ],
    [
      ['file', file],
      ['path', 'a'],
      ['path', 'b'],
    ],
    [
      ['file', file],
      ['path', file],
    ],
    [['file', new File(['text'], '')]],
  ]
  for (const form of forms) assert.equal((await sendForm(form)).status, 400, JSON.stringify(form))
  const b = 'b'.repeat(30)
  const part = `--${b}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ntext`
  for (const [type, body] of [
    [`multipart/form-data; boundary=${b}`, ''],
    [`multipart/form-data; boundary=${b}`, 'nonsense'],
    [`multipart/form-data; boundary=${b}`, part],
    [`multipart/form-data; boundary=${b}`, `${part}\r\n--${b}`],
    [`multipart/form-data; boundary=${'o'.repeat(30)}`, `${part}\r\n--${b}--\r\n`],
    ['multipart/form-data', `${part}\r\n--${b}--\r\n`],
  ] as const) {
    const answer = await team.call(`POST ${files}`, { body, headers: { 'content-type': type } })
    assert.equal(answer.body.error, 'invalid_request', `${type} ${body}`)
  }
})

proves('files.upload', 'a file of 10 MiB is taken, and one byte more is not', async () => {
  const most = Buffer.alloc(10 * mebibyte, 'x')
  assert.equal((await put('large.txt', most)).body.size_bytes, 10 * mebibyte)
  assert.equal((await sendForm([['file', new File([most], 'large.txt')]])).status, 201)
  const more = Buffer.alloc(10 * mebibyte + 1, 'x')
  assert.equal((await put('larger.txt', more)).body.error, 'payload_too_large')
  assert.equal((await sendForm([['file', new File([more], 'larger.txt')]])).body.error, 'payload_too_large')
})

proves(
  'files.upload',
  'a file cannot be where a folder is, nor below a file, nor be the workspace itself',
  async () => {
    await put('taken/file', 'text')
    for (const path of ['taken', 'taken/file/below', '/workspace', '.']) {
      const answer = await put(path, 'text')
      assert.equal(answer.body.error, 'invalid_request', path)
    }
  },
)

proves('files.quota', 'what would pass the limit of the sandbox is refused, with the number to change', async () => {
  const { body } = await team.call('POST /v2/sandboxes')
  const own = `/v2/sandboxes/${body.sandbox_id}/files`
  const bytes = Buffer.alloc(9 * mebibyte)
  const statuses: number[] = []
  for (let n = 0; n < 8; n++) statuses.push((await team.call(`POST ${own}?path=${n}`, { body: bytes })).status)
  assert.deepEqual(statuses, [201, 201, 201, 201, 201, 201, 201, 400])
  assert.match((await team.call(`POST ${own}?path=9`, { body: bytes })).body.message, /RUNYARD_SANDBOX_BYTES/)
})

proves('files.list', 'a list shows one level, folders with all that is below them, by name', async () => {
  await put('tree/b.txt', 'four')
  await put('tree/a/one', '1')
  await put('tree/a/deep/two', '22')
  const { body } = await list('/workspace/tree/')
  assert.equal(body.path, '/workspace/tree')
  assert.deepEqual(
    body.files.map(({ name, path, type, size_bytes }: Record<string, unknown>) => [name, path, type, size_bytes]),
    [
      ['a', '/workspace/tree/a', 'dir', 3],
      ['b.txt', '/workspace/tree/b.txt', 'file', 4],
    ],
  )
  assert.equal((await list('tree/b.txt')).status, 404)
  assert.equal((await list('tree/none')).status, 404)
  assert.deepEqual((await list('tree/none')).text, (await list('../..')).text)
})

proves('files.content', 'text comes as text, to the letter, and everything else as base64', async () => {
  const texts = ['plain', '\ufeffwith a mark', 'été 😀\r\n', '\u0001\u007f', '']
  for (const text of texts) {
    await put('text.md', text)
    const { body } = await read('text.md')
    assert.deepEqual([body.content, body.encoding, body.content_type], [text, 'utf-8', 'text/markdown'])
    assert.equal(body.size_bytes, Buffer.byteLength(text))
  }
  for (const bytes of [
    Buffer.of(0xff),
    Buffer.from('a\0b'),
    Buffer.from('\xe9t\xe9', 'latin1'),
    Buffer.of(0xed, 0xa0, 0x80),
  ]) {
    await put('bytes.bin', bytes)
    const { body } = await read('bytes.bin')
    assert.deepEqual([body.content, body.encoding], [bytes.toString('base64'), 'base64'])
  }
})

proves(
  'files.content',
  'a path is needed to read or to delete, and every file has an address to download it from',
  async () => {
    assert.equal((await team.call(`GET ${files}/content`)).body.error, 'invalid_request')
    assert.equal((await team.call(`DELETE ${files}`)).body.error, 'invalid_request')
    await put('a b.txt', 'text')
    const { body } = await read('a b.txt')
    assert.match(
      body.download_url,
      /^http:\/\/.+\/files\/[0-9a-f-]{36}\/[0-9a-f]{64}\/a%20b\.txt\?path=.+&expires=\d+&signature=/,
    )
  },
)

proves(
  'files.delete',
  'a deleted file is gone, a folder with all below it, and the workspace itself stays',
  async () => {
    await put('gone/one', '1')
    await put('gone/deep/two', '22')
    await put('gone0', 'stays')
    assert.deepEqual((await team.call(`DELETE ${files}?path=gone/one`)).body, {
      success: true,
      path: '/workspace/gone/one',
    })
    assert.equal((await read('gone/one')).status, 404)
    assert.equal((await team.call(`DELETE ${files}?path=gone`)).status, 200)
    for (const path of ['gone', 'gone/one']) assert.equal((await team.call(`DELETE ${files}?path=${path}`)).status, 404)
    assert.equal((await list('gone')).status, 404)
    assert.equal((await read('gone0')).body.content, 'stays')
    assert.equal((await team.call(`DELETE ${files}?path=/workspace`)).body.error, 'invalid_request')
  },
)

proves('files.upload', 'the document shows both kinds of body, and the operation is not a tool', async () => {
  const { body } = await team.call('GET /openapi.json')
  const { requestBody } = body.paths['/v2/sandboxes/{sandbox_id}/files'].post
  assert.deepEqual(Object.keys(requestBody.content), ['application/octet-stream', 'multipart/form-data'])
  assert.deepEqual(Object.keys(requestBody.content['multipart/form-data'].schema.properties), ['file', 'path'])
  assert.equal(registryOf(service.context).operations.find(({ id }) => id === 'uploadSandboxFile')!.tool, false)
})

proves('files.upload', 'a keyed upload is bound to its bytes', async () => {
  const route = `POST ${files}?path=keyed`
  const first = await team.call(route, { body: 'bytes', idempotencyKey: 'the same' })
  const again = await team.call(route, { body: 'bytes', idempotencyKey: 'the same' })
  assert.deepEqual([again.status, again.text], [201, first.text])
  const other = await team.call(route, { body: 'other bytes', idempotencyKey: 'the same' })
  assert.equal(other.body.error, 'idempotency_key_reused')
})

proves('files.quota', 'earlier states of a path count, however few bytes they have', async () => {
  const small = await testApp({ config: { sandboxBytesMax: 10_000 } })
  const own = await seedTeam(small)
  const { sandbox_id } = (await own.call('POST /v2/sandboxes')).body
  const write = () => own.call(`POST /v2/sandboxes/${sandbox_id}/files?path=a`)
  const answers: Answer[] = []
  for (let n = 0; n < 12; n += 1) answers.push(await write())
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array.from({ length: 11 }, () => 201), 400],
  )
  assert.match(answers[11]!.body.message, /RUNYARD_SANDBOX_BYTES/)
})
