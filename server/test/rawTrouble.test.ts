// Trouble below HTTP, over a bare TCP socket: each gets a clear answer or a closed connection, and nobody else notices.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { requireErrorShape } from './kit/answers.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { provesTogether } from './kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const { port } = new URL(await service.listen())

const bodyBytesMax = 2 * 1024 * 1024
const membersPath = `/v2/teams/${team.id}/members`
const credential = `Authorization: Bearer ${team.key}`

interface RawAnswer {
  status: number
  headers: Map<string, string>
  body: string
}

interface Heard {
  answers: RawAnswer[]
  /** Whether the service closed the connection. */
  isClosed: boolean
}

type Written = string | Buffer

/** The lines of a request; what is not given is what a good one has. */
function request(line: string, headers: string[] = [], body: Written = ''): Buffer {
  const head = [line, 'Host: localhost', credential, ...headers, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)])
}

const getProfile = request('GET /v2/profile HTTP/1.1')

function postMember(headers: string[], body: Written = ''): Buffer {
  return request(`POST ${membersPath} HTTP/1.1`, ['Content-Type: application/json', ...headers], body)
}

/** As many whole answers as the bytes hold; interim ones (1xx) have no body. */
function readAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = bytes; rest.length > 0;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) break
    const [line = '', ...fields] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const headers = new Map(
      fields.map((field) => {
        const colon = field.indexOf(':')
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
      }),
    )
    const start = end + 4
    const length = Number(headers.get('content-length') ?? 0)
    if (rest.length < start + length) break
    assert.match(line, /^HTTP\/1\.1 \d{3} /)
    answers.push({ status: Number(line.slice(9, 12)), headers, body: rest.toString('utf8', start, start + length) })
    rest = rest.subarray(start + length)
  }
  return answers
}

/**
 * Connects, lets `say` write, and listens until so many answers are there and, if the last one announces it, until the
 * connection is closed. A connection that is closed earlier ends it too.
 */
async function talk(say: (socket: Socket, heard: () => RawAnswer[]) => unknown, answersWanted = 1): Promise<Heard> {
  const socket = connect(Number(port), '127.0.0.1')
  const chunks: Buffer[] = []
  const heard = () => readAnswers(Buffer.concat(chunks))
  // a reset is one way of being closed
  socket.on('error', () => undefined)
  const isClosed = new Promise<boolean>((resolve) => {
    socket.on('close', () => resolve(true))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      const answers = heard()
      const isLast = answers.at(-1)?.headers.get('connection') === 'close'
      if (answers.length >= answersWanted && !isLast) resolve(false)
    })
  })
  await once(socket, 'connect')
  await say(socket, heard)
  const closed = await isClosed
  socket.destroy()
  return { answers: heard(), isClosed: closed }
}

const say = (...parts: Written[]) => talk((socket) => parts.forEach((part) => socket.write(part)))

/** One answer in the error shape, with the code that belongs to its status. */
function requireRefusal({ answers }: Heard, status: number, error: string, about: string): RawAnswer {
  const [answer] = answers
  assert.equal(answers.length, 1, `${about}: ${JSON.stringify(answers.map((one) => one.body))}`)
  assert.equal(answer!.status, status, `${about}: ${answer!.body}`)
  assert.match(answer!.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, about)
  assert.equal(answer!.headers.get('content-type'), 'application/json; charset=utf-8', about)
  const body = JSON.parse(answer!.body) as { error: string }
  requireErrorShape(status, body, about)
  assert.equal(body.error, error, about)
  return answer!
}

async function requireRefusedAndClosed(about: string, ...parts: Written[]): Promise<RawAnswer> {
  const heard = await say(...parts)
  const answer = requireRefusal(heard, 400, 'invalid_request', about)
  assert.ok(heard.isClosed, `${about}: the connection stays open`)
  return answer
}

const bodyOf = (answer: RawAnswer | undefined): Record<string, unknown> =>
  JSON.parse(answer?.body ?? 'null') as Record<string, unknown>

/** A good body of exactly so many bytes; almost all of them are one string. */
function bodyOfBytes(bytes: number): string {
  const [start, end] = ['{"name":"large","note":"', '"}']
  return start + 'x'.repeat(bytes - start.length - end.length) + end
}

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

afterEach(async () => {
  const { answers } = await say(getProfile)
  assert.equal(answers[0]?.status, 200, 'the next request is answered as if nothing had been')
  const failures = service.logged.filter((line) => /"level":"(warn|error|fatal)"/.test(line))
  assert.deepEqual(failures, [])
})

provesTogether('fuzz.raw', 'what is not HTTP', () => {
  const garbage: [string, Written][] = [
    ['words', 'hello there\r\n\r\n'],
    ['a version that never was', request('GET /v2/profile HTTP/9.9')],
    ['a method that never was', request('FETCH /v2/profile HTTP/1.1')],
    ['a method in small letters', request('get /v2/profile HTTP/1.1')],
    ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['a thousand zeros', Buffer.alloc(1000)],
    ['a thousand bytes of anything', Buffer.from(Array.from({ length: 1000 }, (_, at) => 128 + ((at * 7919) % 128)))],
    ['a NUL in the request line', request('GET /v2/pro\0file HTTP/1.1')],
    ['a line feed in the request line', request('GET /v2/pro\nfile HTTP/1.1')],
    ['an address that begins with no slash', request('GET v2/profile HTTP/1.1')],
  ]
  for (const [about, bytes] of garbage) {
    test(`${about} gets a 400 and a closed connection`, async () => {
      await requireRefusedAndClosed(about, bytes)
    })
  }

  test('is not waited for when it never ends', async () => {
    const arrived = once(service.app.server, 'connection') as Promise<[Socket]>
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined)
    socket.write('hello there\r\n\r\n')
    const [there] = await arrived
    const answered = once(socket, 'data') as Promise<[Buffer]>
    await new Promise<void>((resolve) => there.on('close', () => resolve()))
    assert.match(String(await answered), /^HTTP\/1\.1 400 /)
    socket.destroy()
  })

  test('silence, half a line and half a header block leave nothing behind', async () => {
    for (const part of ['', 'GET /v2', 'GET /v2/profile HTTP/1.1\r\nHost: local']) {
      const { answers } = await talk((socket) => socket.end(part))
      assert.ok(answers.length === 0 || answers[0]!.status === 400, part)
    }
  })
})

describe('headers', () => {
  test('of more than 16 KiB are refused with their limit', async () => {
    const large: [string, Buffer][] = [
      ['one long header', request('GET /v2/profile HTTP/1.1', [`X-Long: ${'x'.repeat(17_000)}`])],
      ['a long name', request('GET /v2/profile HTTP/1.1', [`${'x'.repeat(17_000)}: 1`])],
      ['many headers', request('GET /v2/profile HTTP/1.1', Array<string>(2000).fill('X-Many: 12345678'))],
      ['a long address', request(`GET /v2/profile?q=${'x'.repeat(17_000)} HTTP/1.1`)],
      ['an endless address', request(`GET /${'x'.repeat(300_000)}`)],
    ]
    for (const [about, bytes] of large) {
      const answer = await requireRefusedAndClosed(about, bytes)
      assert.match(String(bodyOf(answer)['message']), /16 KiB/, about)
    }
  })

  test('that are spelled against RFC 9112 are refused', async () => {
    const spelled: [string, string[]][] = [
      ['an obsolete line folding', ['X-Folded: one', ' two']],
      ['an obsolete folding of the first header', [' two']],
      ['a space before the colon', ['X-Spaced : one']],
      ['a header without a name', [': one']],
      ['a header without a colon', ['nonsense']],
      ['a NUL in a value', ['X-Nul: a\0b']],
      ['a bare carriage return in a value', ['X-Return: a\rb']],
      ['a name that is no token', ['X(Y): 1']],
    ]
    for (const [about, headers] of spelled) {
      await requireRefusedAndClosed(about, request('GET /v2/profile HTTP/1.1', headers))
    }
  })

  test('without Host are refused, and an empty Host is one', async () => {
    const line = 'GET /v2/profile HTTP/1.1\r\n'
    await requireRefusedAndClosed('no Host', `${line}${credential}\r\n\r\n`)
    const { answers } = await say(`${line}Host:\r\n${credential}\r\n\r\n`)
    assert.equal(answers[0]?.status, 200)
  })

  test('may ask for an upgrade or an expectation that nobody offers', async () => {
    const headers = [
      ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'],
      ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
      ['Expect: miracles'],
    ]
    for (const asked of headers) {
      const { answers } = await say(request('GET /v2/profile HTTP/1.1', asked))
      assert.equal(answers[0]?.status, 200, asked.join())
    }
  })
})

describe('requests of an unusual form', () => {
  test('HTTP/1.0 is answered and closed, or kept open when asked', async () => {
    const closed = await say(request('GET /v2/profile HTTP/1.0'))
    assert.equal(closed.answers[0]?.status, 200)
    assert.ok(closed.isClosed)
    const kept = await say(request('GET /v2/profile HTTP/1.0', ['Connection: keep-alive']))
    assert.equal(kept.answers[0]?.status, 200)
    assert.ok(!kept.isClosed)
    const withoutHost = await say(`GET /v2/profile HTTP/1.0\r\n${credential}\r\n\r\n`)
    assert.equal(withoutHost.answers[0]?.status, 200)
  })

  test('a line without a version is taken for one without headers', async () => {
    const heard = await say('GET /v2/profile\r\n\r\n')
    requireRefusal(heard, 401, 'unauthorized', 'HTTP/0.9')
    assert.ok(heard.isClosed)
  })

  test('the absolute form names the same operation', async () => {
    const { answers } = await say(request('GET http://elsewhere.example/v2/profile HTTP/1.1'))
    assert.equal(answers[0]?.status, 200)
  })

  test('the asterisk form and CONNECT find nothing', async () => {
    const asterisk = await say(request('OPTIONS * HTTP/1.1'))
    requireRefusal(asterisk, 404, 'not_found', 'OPTIONS *')
    const tunnel = await say(request('CONNECT elsewhere.example:443 HTTP/1.1'))
    assert.ok(tunnel.isClosed || tunnel.answers[0]!.status >= 400)
  })

  test('bytes of Latin-1 in an id name nothing', async () => {
    const { answers } = await say(request('GET /v2/teams/\xe9\xff HTTP/1.1'))
    assert.ok([400, 403].includes(answers[0]!.status))
    requireErrorShape(answers[0]!.status, bodyOf(answers[0]), 'Latin-1')
  })
})

describe('pipelined requests', () => {
  test('are answered in their order', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => `pipelined-${at}`)
    const bytes = ids.map((id, at) =>
      at % 3 === 0
        ? postMember([`X-Request-Id: ${id}`, 'Content-Length: 16'], '{"name":"piped"}')
        : request('GET /v2/profile HTTP/1.1', [`X-Request-Id: ${id}`]),
    )
    const { answers } = await talk((socket) => socket.write(Buffer.concat(bytes)), ids.length)
    assert.deepEqual(
      answers.map(({ headers }) => headers.get('x-request-id')),
      ids,
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      ids.map((_, at) => (at % 3 === 0 ? 201 : 200)),
    )
  })

  test('before garbage are answered as what they are', async () => {
    const created = postMember(['X-Request-Id: before-garbage', 'Content-Length: 16'], '{"name":"piped"}')
    const { answers, isClosed } = await talk(
      (socket) => socket.write(Buffer.concat([created, Buffer.from('\0\0\r\n')])),
      2,
    )
    assert.ok(isClosed)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 400],
    )
    assert.equal(answers[0]!.headers.get('x-request-id'), 'before-garbage')
  })

  test('before a broken body are answered as what they are', async () => {
    const good = postMember(['Content-Length: 16'], '{"name":"piped"}')
    const broken = postMember(['Transfer-Encoding: chunked'], 'zz\r\n')
    const { answers, isClosed } = await talk((socket) => socket.write(Buffer.concat([good, good, broken])), 3)
    assert.ok(isClosed)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 400],
    )
  })

  test('after a refused body find the connection as it should be', async () => {
    const refused = postMember(['Content-Length: 9'], '{"name":1')
    const { answers } = await talk((socket) => socket.write(Buffer.concat([refused, getProfile])), 2)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 200],
    )
  })

  test('after a body that nobody reads find the connection as it should be', async () => {
    const unread = [
      request('GET /v2/profile HTTP/1.1', ['Content-Length: 100000'], 'x'.repeat(100_000)),
      request('POST /nowhere HTTP/1.1', ['Content-Length: 100000'], 'x'.repeat(100_000)),
    ]
    for (const bytes of unread) {
      const { answers } = await talk((socket) => socket.write(Buffer.concat([bytes, getProfile])), 2)
      assert.equal(answers.at(-1)!.status, 200)
      assert.equal(answers.length, 2)
    }
  })
})

describe('bodies that contradict their headers', () => {
  test('two lengths, or a length beside chunks, are refused', async () => {
    const contradictions: [string, string[]][] = [
      ['two lengths', ['Content-Length: 2', 'Content-Length: 4']],
      ['the same length twice', ['Content-Length: 2', 'Content-Length: 2']],
      ['a list of lengths', ['Content-Length: 2, 2']],
      ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
      ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4']],
      ['a negative length', ['Content-Length: -1']],
      ['a length with a sign', ['Content-Length: +2']],
      ['a length in hexadecimal', ['Content-Length: 0x2']],
      ['a length beyond all numbers', ['Content-Length: 99999999999999999999']],
      ['no length at all', ['Content-Length:']],
      ['an encoding that never was', ['Transfer-Encoding: xchunked']],
      ['chunks inside something', ['Transfer-Encoding: chunked, identity']],
      ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity']],
    ]
    for (const [about, headers] of contradictions) await requireRefusedAndClosed(about, postMember(headers, '{}'))
  })

  test('broken chunks are refused', async () => {
    const broken: [string, string][] = [
      ['a size that is no number', 'zz\r\n{}\r\n0\r\n\r\n'],
      ['a negative size', '-2\r\n{}\r\n0\r\n\r\n'],
      ['a size beyond all numbers', 'fffffffffffffffff\r\n{}\r\n'],
      ['a size with a prefix', '0x2\r\n{}\r\n0\r\n\r\n'],
      ['a chunk longer than its size', '2\r\n{"name":"x"}\r\n0\r\n\r\n'],
      ['a size without a line end', `2${' '.repeat(100)}{}`],
      ['an extension without an end', `2;${'x'.repeat(40_000)}`],
      ['a trailer that is no header', '2\r\n{}\r\n0\r\nnonsense\r\n\r\n'],
    ]
    for (const [about, body] of broken) {
      await requireRefusedAndClosed(about, postMember(['Transfer-Encoding: chunked'], body))
    }
  })

  test('a body that ends too early is refused, whether announced by length or in chunks', async () => {
    for (const bytes of [
      postMember(['Content-Length: 100'], '{"name":'),
      postMember(['Transfer-Encoding: chunked'], chunk('{"name":')),
    ]) {
      const heard = await talk((socket) => socket.end(bytes))
      assert.ok(heard.isClosed)
      if (heard.answers.length > 0) requireRefusal(heard, 400, 'invalid_request', bytes.toString())
    }
  })

  test('a body that is cut off midway changes nothing', async () => {
    const arrived = once(service.app.server, 'connection') as Promise<[Socket]>
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    const [there] = await arrived
    const gone = new Promise<void>((resolve) => there.on('close', () => resolve()))
    const bytes = postMember(['Content-Length: 1000000', 'X-Request-Id: cut-off'], '{"name":"cut off"')
    await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
    socket.resetAndDestroy()
    await gone
    const { body } = await team.call('GET /v2/teams/:teamId/members?limit=200')
    const names = body.members.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('Tester') && !names.includes('cut off'), names.join(', '))
  })

  test('good chunks of any size, with extensions and trailers, are one body', async () => {
    const text = '{"name":"chunked"}'
    const single = text.replace(/./g, chunk)
    for (const body of [
      `${chunk(text)}0\r\n\r\n`,
      `${single}0\r\n\r\n`,
      `12;note=x\r\n${text}\r\n0\r\nX-Trailer: 1\r\n\r\n`,
      `0000012\r\n${text}\r\n0\r\n\r\n`,
    ]) {
      const { answers } = await say(postMember(['Transfer-Encoding: chunked'], body))
      assert.equal(answers[0]?.status, 201, body)
    }
  })
})

describe('a body at its limit', () => {
  test('is taken with exactly 2 MiB, by length and in chunks', async () => {
    const text = bodyOfBytes(bodyBytesMax)
    const byLength = await say(postMember([`Content-Length: ${bodyBytesMax}`], text))
    assert.equal(byLength.answers[0]?.status, 201)
    const inChunks = await say(postMember(['Transfer-Encoding: chunked'], `${chunk(text)}0\r\n\r\n`))
    assert.equal(inChunks.answers[0]?.status, 201)
  })

  test('is refused with one byte more, by length and in chunks', async () => {
    const text = bodyOfBytes(bodyBytesMax + 1)
    for (const bytes of [
      postMember([`Content-Length: ${bodyBytesMax + 1}`], text),
      postMember(['Transfer-Encoding: chunked'], `${chunk(text)}0\r\n\r\n`),
    ]) {
      requireRefusal(await say(bytes), 400, 'payload_too_large', 'one byte more')
    }
  })

  test('is refused before it was sent when its length says so', async () => {
    const heard = await say(postMember([`Content-Length: ${bodyBytesMax * 1000}`]))
    requireRefusal(heard, 400, 'payload_too_large', 'announced')
    assert.ok(heard.isClosed)
  })

  test('is refused while it is being sent, and the rest is not waited for', async () => {
    for (const header of [`Content-Length: ${bodyBytesMax * 1000}`, 'Transfer-Encoding: chunked']) {
      const part = header.startsWith('Transfer') ? chunk('x'.repeat(65_536)) : 'x'.repeat(65_536)
      const heard = await talk(async (socket, answers) => {
        socket.write(postMember([header]))
        // goes on for as long as somebody takes it
        while (answers().length === 0 && socket.writable) {
          await new Promise<void>((resolve) => socket.write(part, () => resolve()))
        }
      })
      assert.ok(heard.isClosed)
      requireRefusal(heard, 400, 'payload_too_large', header)
    }
  })

  test('is never read for a caller that nobody knows', async () => {
    const bytes = postMember([`Content-Length: ${bodyBytesMax}`, 'Expect: 100-continue'])
    const unknown = Buffer.from(bytes.toString('latin1').replace(team.key, 'nobody'), 'latin1')
    const { answers } = await talk((socket) => socket.write(unknown), 2)
    requireRefusal(
      { answers: answers.filter(({ status }) => status !== 100), isClosed: true },
      401,
      'unauthorized',
      'nobody',
    )
  })
})

describe('Expect: 100-continue', () => {
  test('is asked to continue, and then answered', async () => {
    const text = '{"name":"expected"}'
    const { answers } = await talk(async (socket, heard) => {
      socket.write(postMember([`Content-Length: ${text.length}`, 'Expect: 100-continue']))
      while (heard().length === 0) await once(socket, 'data')
      socket.write(text)
    }, 2)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [100, 201],
    )
  })
})
