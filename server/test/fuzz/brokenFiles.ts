// Files in trouble: bodies of any bytes, which are all good, and forms, most of which are not.
import { randomBytes } from 'node:crypto'
import { invalid, type Case, type Expected } from './cases.ts'

const file = (about: string, type: string | undefined, bytes: string | Buffer, expected: Expected): Case => ({
  about,
  change: (draft) => ({
    ...draft,
    raw: bytes,
    headers: { ...draft.headers, ...(type !== undefined && { 'content-type': type }) },
  }),
  expected,
})

const anyBytes: [string, string | Buffer][] = [
  ['no byte at all', ''],
  ['one NUL', '\u0000'],
  ['random bytes', randomBytes(4096)],
  ['half a character', Buffer.of(0xf0, 0x9f)],
  ['what looks like JSON', '{"a":'],
  ['what looks like a form', '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n'],
  ['2 MiB, more than JSON may have', Buffer.alloc(2 * 1024 * 1024 + 1, 'x')],
]

const anyType = [
  'application/octet-stream',
  'application/json',
  'text/html; charset=nonsense',
  'multipart/mixed; boundary=x',
  'application/x-www-form-urlencoded',
  'garbage',
  ';',
  'x'.repeat(4000),
]

// shorter ones, which RFC 2046 §5.1.1 allows, Node does not read
const boundary = 'a-boundary-of-twenty-eight-x'
const form = `multipart/form-data; boundary=${boundary}`
const part = (head: string, content: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
const theFile = part('name="file"; filename="a.txt"', 'text')
const end = `--${boundary}--\r\n`

const goodForms: [string, string][] = [
  ['a file', theFile + end],
  ['a file and where it goes', theFile + part('name="path"', 'b/c.txt') + end],
  ['an empty file', part('name="file"; filename="a.txt"', '') + end],
  ['a file and what nobody asked for', part('name="__proto__"', 'x') + theFile + part('name="x"', 'y') + end],
  [
    'a file of a type',
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/html\r\n\r\nx\r\n${end}`,
  ],
]

const badForms: [string, string, string][] = [
  ['nothing', form, ''],
  ['no form', form, 'text'],
  ['only its end', form, end],
  ['no end', form, theFile],
  ['half an end', form, `${theFile}--${boundary}`],
  ['another boundary', `multipart/form-data; boundary=${'y'.repeat(27)}`, theFile + end],
  ['no boundary', 'multipart/form-data', theFile + end],
  ['a boundary of 5 kB', `multipart/form-data; boundary=${'x'.repeat(5000)}`, theFile + end],
  ['line feeds alone', form, (theFile + end).replaceAll('\r\n', '\n')],
  ['a part without a head', form, `--${boundary}\r\n\r\ntext\r\n${end}`],
  ['a part without a name', form, part('filename="a.txt"', 'text') + end],
  ['no file', form, part('name="path"', 'a.txt') + end],
  ['a file that is a text', form, part('name="file"', 'text') + end],
  ['two files', form, theFile + theFile + end],
  ['two paths', form, theFile + part('name="path"', 'a') + part('name="path"', 'b') + end],
  ['a path that is a file', form, theFile + part('name="path"; filename="a"', 'b') + end],
]

const strayNames = ['../x', '/etc/passwd', '..', 'a\u0000b', 'a\\b', '%2e%2e/x', 'C:/x', 'x'.repeat(1025)]

export const brokenFiles: Case[] = [
  ...anyBytes.flatMap(([about, bytes]) => [
    file(about, undefined, bytes, 'done'),
    file(`${about}, as bytes`, 'application/octet-stream', bytes, 'done'),
  ]),
  ...anyType.map((type) => file(`a file declared as ${type.slice(0, 40)}`, type, 'text', 'done')),
  ...goodForms.map(([about, text]) => file(`a form with ${about}`, form, text, 'done')),
  ...badForms.map(([about, type, text]) => file(`a form with ${about}`, type, text, invalid)),
  ...strayNames.map((path) =>
    file(`a form with the path ${path.slice(0, 40)}`, form, theFile + part('name="path"', path) + end, {
      status: 404,
      error: 'not_found',
    }),
  ),
  file('more than 10 MiB', 'application/octet-stream', Buffer.alloc(10 * 1024 * 1024 + 1), {
    status: 400,
    error: 'payload_too_large',
  }),
]
