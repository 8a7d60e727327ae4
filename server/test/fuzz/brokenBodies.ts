// Bodies in trouble: broken constraints, what is no JSON, what JSON allows and a service must survive.
import * as fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { brokenFiles } from './brokenFiles.ts'
import { invalid, withoutBody, type Case, type Expected } from './cases.ts'
import type { ApiDocument, DocumentedOperation } from './document.ts'
import type { Draft } from './send.ts'
import { changed, violationsOf } from './violations.ts'

/** For an operation that takes a body; `good` is one that it accepts. */
export function brokenBodies(document: ApiDocument, operation: DocumentedOperation, good: Draft): Case[] {
  if (operation.takesBytes) return brokenFiles
  const cases = [...brokenText(operation), ...extraFields]
  const { body } = operation
  if (!body) return cases
  const fields = Object.keys(body.schema.properties ?? {})
  return [...cases, ...brokenConstraints(document, operation, good), ...fields.flatMap(oddValues), ...edges(body)]
}

function brokenConstraints(document: ApiDocument, { body }: DocumentedOperation, good: Draft): Case[] {
  return violationsOf(document, body!.schema, good.json).map(({ path, keyword, value, naming, inside }) => ({
    about: `${path.join('.')} breaks ${keyword} with ${abbreviated(value)}`,
    change: (draft) => {
      const base = inside ? changed(draft.json, inside.path, inside.value) : draft.json
      return { ...draft, json: changed(base, path, value) as Record<string, unknown> }
    },
    expected: { ...invalid, naming },
    breaks: `${path.filter((step) => typeof step === 'string').join('.')} ${keyword}`,
  }))
}

/** Every constraint of the body, as the cases above name them. */
export const constraintsOf = (cases: Case[]): string[] => [...new Set(cases.flatMap(({ breaks }) => breaks ?? []))]

const abbreviated = (value: unknown): string => {
  // a text that breaks a length may have a million characters, and is named in many cases that are never sent
  if (typeof value === 'string' && value.length > 60) {
    return `${JSON.stringify(value.slice(0, 50))}… (${value.length} characters)`
  }
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 50)}… (${text.length} characters)` : text
}

/** Text that fills a field to its limit, in letters of one unit and of two. */
function edges({ schema }: NonNullable<DocumentedOperation['body']>): Case[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, { maxLength, minLength, pattern, format }]) => {
    if (pattern !== undefined || format !== undefined) return []
    const lengths = [minLength, maxLength].filter((length) => length !== undefined)
    return lengths.flatMap((length) =>
      ['x', '😀', '\u0301'].map((letter): Case => ({
        about: `${name} is ${length} × ${JSON.stringify(letter)}`,
        change: withField(name, letter.repeat(length)),
        expected: 'long enough and not too long',
      })),
    )
  })
}

const withField = (name: string, value: unknown) => (draft: Draft) => ({
  ...draft,
  json: { ...draft.json, [name]: value },
})

/** The body with one more member, spelled by hand: what JSON.stringify would never write. */
const withMember =
  (...members: string[]) =>
  ({ json, ...draft }: Draft): Draft => {
    const own = json ? JSON.stringify(json).slice(1, -1) : ''
    return { ...draft, raw: `{${[...(own ? [own] : []), ...members].join(',')}}` }
  }

const member = (about: string, text: string, expected: Expected): Case => ({
  about,
  change: withMember(text),
  expected,
})

/** A known field, given once more, with what a reader may stumble over; the last one counts. */
function oddValues(name: string): Case[] {
  const spelled = JSON.stringify(name)
  const refused: [string, string][] = [
    ['a number beyond all numbers', '1e309'],
    ['a NUL', '"\\u0000"'],
    ['a NUL in the middle', '"a\\u0000b"'],
    ['half of a surrogate pair', '"\\ud800"'],
    ['the other half', '"x\\udc00"'],
    ['a NUL in a key below', '{"a\\u0000": 1}'],
  ]
  const anything: [string, string][] = [
    ['minus nothing', '-0'],
    ['a very large integer', '123456789012345678901234567890'],
    ['2^53 + 1', '9007199254740993'],
    ['a prototype', '{"__proto__": {"polluted": true}}'],
    ['a constructor', '{"constructor": {"prototype": {"polluted": true}}}'],
    ['a list of lists', '[[[[[[]]]]]]'],
    ['a time with a comma', '"2100-01-01T00:00:00,5Z"'],
    ['a time in small letters', '"2100-01-01t00:00z"'],
    ['a time with a short offset', '"2100-01-01T00:00:00+05"'],
    ['a time with an offset in one', '"2100-01-01T00:00:00-0930"'],
    ['a time past all calendars', '"9999-12-31T23:59:59-23:59"'],
    ['a time before all calendars', '"0001-01-01T00:00:00+23:59"'],
    ['text that looks like SQL', `"'); drop table members; --"`],
    ['a template', '"${7*7} {{7*7}} %s %n"'],
    ['directions and joiners', '"\\u202e\\u200d\\ufeff\\u2028"'],
    ['the last character of all', '"\\udbff\\udfff"'],
    ['a line of controls', '"\\u0001\\b\\f\\n\\r\\t\\u007f\\u0085"'],
  ]
  return [
    ...refused.map(([about, value]) => member(`${name} is ${about}`, `${spelled}: ${value}`, invalid)),
    ...anything.map(([about, value]) => member(`${name} is ${about}`, `${spelled}: ${value}`, 'anything documented')),
    {
      about: `${name} twice`,
      change: withMember(`${spelled}: "first"`, `${spelled}: null`),
      expected: 'anything documented',
    },
  ]
}

const nested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels)

/** Fields that no operation knows. */
const extraFields: Case[] = [
  member('an unknown field', '"no_such_field": "x"', 'done'),
  member('an unknown field of every type', '"no_such_field": [null, true, 1.5, "x", {}, []]', 'done'),
  member('an unknown field twice', '"no_such_field": 1, "no_such_field": 2', 'done'),
  member('a field without a name', '"": 1', 'done'),
  member('__proto__', '"__proto__": {"polluted": true}', 'done'),
  member('__proto__ as null', '"__proto__": null', 'done'),
  member('constructor', '"constructor": {"prototype": {"polluted": true}}', 'done'),
  member('prototype', '"prototype": {"polluted": true}', 'done'),
  member('toString and its like', '"toString": 1, "hasOwnProperty": 1, "toJSON": 1, "then": 1, "length": -1', 'done'),
  member('64 levels, the body among them', `"deep": ${nested(63, '[', ']')}`, 'done'),
  member('65 levels of lists', `"deep": ${nested(64, '[', ']')}`, invalid),
  member('65 levels of objects', `"deep": ${'{"a":'.repeat(64)}1${'}'.repeat(64)}`, invalid),
  member('100,000 levels of lists', `"deep": ${nested(100_000, '[', ']')}`, invalid),
  member('100,000 levels of objects', `"deep": ${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, invalid),
  member('100,000 open brackets', `"deep": ${'['.repeat(100_000)}`, invalid),
  member('a string of 1.5 MB', `"long": "${'x'.repeat(1_500_000)}"`, 'done'),
  member('50,000 unknown fields', Array.from({ length: 50_000 }, (_, at) => `"f${at}":0`).join(','), 'done'),
  member('a name of 1 MB before a number beyond all numbers', `"${'n'.repeat(1_000_000)}": 1e309`, invalid),
  member('a name of 1 MB before a NUL', `"${'n'.repeat(1_000_000)}": "\\u0000"`, invalid),
  member('a number beyond all numbers', '"n": 1e309', invalid),
  member('a number below all numbers', '"n": -1e309', invalid),
  member('a number of 100,000 digits', `"n": ${'9'.repeat(100_000)}`, invalid),
  member('numbers that round', '"n": [-0, 1e-400, 0.1e1, 9007199254740993, 1.7976931348623157e308]', 'done'),
  member('a NUL in text', '"text": "a\\u0000"', invalid),
  member('a NUL in a name', '"a\\u0000b": 1', invalid),
  member('a NUL in a list', '"list": ["", ["\\u0000"]]', invalid),
  member('half of a surrogate pair', '"text": "\\ud83d"', invalid),
  member('the halves of a pair in the wrong order', '"text": "\\ude00\\ud83d"', invalid),
  member('half of a pair in a name', '"\\udc00": 1', invalid),
  member('a whole pair by its halves', '"text": "\\ud83d\\ude00"', 'done'),
]

const notAnObject = ['null', '[]', '[{}]', '"text"', '""', '7', '-0', 'true', 'false']

const notJson = [
  '{',
  '}',
  '{"a"}',
  '{"a":',
  '{"a":}',
  '{"a":1,}',
  '{,}',
  "{'a':1}",
  '{a:1}',
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1.}',
  '{"a":0x10}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":undefined}',
  '{"a":"\\x41"}',
  '{"a":"\\u12"}',
  '{"a":"\u0001"}',
  '{"a":"\n"}',
  '{"a":1}{"b":2}',
  '{"a":1} x',
  '// remark\n{}',
  '{}\u0000',
  '\u0000{}',
  '<a/>',
  'a=1&b=2',
  'undefined',
  '-----',
  // the parser quotes what it stumbled over, and may cut a pair of surrogates in two
  `{"a": ${'😀'.repeat(40)}}`,
  `{"a": x${'😀'.repeat(40)}}`,
  `{"${'😀'.repeat(40)}" x}`,
]

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

const notUtf8: [string, Buffer][] = [
  ['a byte that is no UTF-8', Buffer.from('{"a": "\xff"}', 'latin1')],
  ['Latin-1', Buffer.from('{"a": "caf\xe9"}', 'latin1')],
  ['an overlong NUL', Buffer.from('{"a": "\xc0\x80"}', 'latin1')],
  ['an overlong slash', Buffer.from('{"a": "\xe0\x80\xaf"}', 'latin1')],
  ['a surrogate in UTF-8', Buffer.from('{"a": "\xed\xa0\x80"}', 'latin1')],
  ['a character cut off', Buffer.from('{"a": "\xf0\x9f\x98"}', 'latin1')],
  ['a character beyond the last', Buffer.from('{"a": "\xf4\x90\x80\x80"}', 'latin1')],
  ['a continuation alone', Buffer.from('{"a": "\x80"}', 'latin1')],
  ['UTF-16', utf16('{"a": 1}')],
  ['random bytes', Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256))],
]

const raw = (about: string, text: string | Buffer, expected: Expected): Case => ({
  about,
  change: (draft) => ({ ...draft, raw: text }),
  expected,
})

function brokenText({ body }: DocumentedOperation): Case[] {
  const missing = body?.schema.required ?? []
  const forNothing: Expected = missing.length > 0 ? { ...invalid, naming: missing } : 'anything documented'
  return [
    raw('no byte at all', '', forNothing),
    raw('an empty object', '{}', forNothing),
    raw('an empty object with space around', ' \r\n\t{ } ', forNothing),
    raw('space alone', ' \n', 'anything documented'),
    {
      about: 'no body and no type of one',
      change: withoutBody,
      expected: forNothing,
    },
    {
      about: 'a byte order mark',
      change: ({ json = {}, ...draft }) => ({ ...draft, raw: `\ufeff${JSON.stringify(json)}` }),
      expected: 'anything documented',
    },
    ...notAnObject.map((text) => raw(`${text} instead of an object`, text, invalid)),
    ...notJson.map((text) => raw(`no JSON: ${JSON.stringify(text).slice(0, 40)}`, text, invalid)),
    ...notUtf8.map(([about, bytes]) => raw(about, bytes, invalid)),
  ]
}

/** Random trouble: any value in any field, or the good text with a few bytes turned. */
export function randomBodies(document: ApiDocument, { body }: DocumentedOperation): Arbitrary<Case> {
  const turned = fc
    .array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), fc.nat(255)), {
      minLength: 1,
      maxLength: 4,
    })
    .map((turns): Case => ({
      about: `${turns.length} bytes turned`,
      change: ({ json = { a: ['text', 1.5, null] }, ...draft }) => {
        const bytes = Buffer.from(JSON.stringify(json))
        for (const [at, byte] of turns) bytes[Math.floor(at * bytes.length)] = byte
        return { ...draft, raw: bytes }
      },
      expected: 'anything documented',
    }))
  const fields = Object.entries(body?.schema.properties ?? {})
  if (!body || fields.length === 0) return turned
  const replaced = fc
    .tuple(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 3 }))
    .map(([[name, schema], value]): Case => ({
      about: `${name} is ${abbreviated(value)}`,
      change: withField(name, value),
      expected: document.fits(schema, value) ? 'anything documented' : { ...invalid, naming: [name] },
    }))
  return fc.oneof({ arbitrary: replaced, weight: 3 }, { arbitrary: turned, weight: 1 })
}
