// Addresses in trouble: ids that name nothing, queries outside their sets, methods and slashes nobody asked for.
import * as fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { newId } from '../../src/base/ids.ts'
import { nounOf } from '../../src/kit/resources.ts'
import { invalid, withoutCredential, type Case, type Expected } from './cases.ts'
import type { DocumentedOperation, Schema } from './document.ts'
import type { Draft } from './send.ts'

export const brokenAddresses = (operation: DocumentedOperation): Case[] => [
  ...operation.pathParameters.flatMap(brokenIds),
  ...Object.entries(operation.query).flatMap(([name, schema]) => brokenParameter(name, schema)),
  ...unknownParameters,
]

const notFound: Expected = { status: 404, error: 'not_found' }

/** A team that is not the caller's is a 403, whatever its id; any other id that names nothing is a 404. */
function refusalOf(parameter: string): Expected {
  const noun = nounOf(parameter)
  if (noun === 'team') return { status: 403, error: 'forbidden' }
  return noun === undefined ? 'anything documented' : notFound
}

const strangeIds = [
  '%00',
  'x%00y',
  '%2e%2e%2f',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%2f..%2f',
  '..',
  '.',
  '%2e%2e',
  '..%5c..%5c',
  '%252e%252e%252f',
  '%25',
  'a'.repeat(8000),
  '%F0%9F%98%80'.repeat(600),
  '%F0%9F%98%80',
  '%C3%A9t%C3%A9',
  '%E2%80%AE',
  '%EF%BC%90',
  'null',
  'undefined',
  'NaN',
  '0',
  '-1',
  '1e9',
  '*',
  '%2A',
  '__proto__',
  'constructor',
  '%27%3B%20drop%20table%20members%3B%20--',
  '%24%7B7*7%7D',
  '%0d%0aX-Injected:%20yes',
  '%3Cscript%3E',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'not-an-id',
  ';',
  '%20',
  '%2F',
]

/** Percent signs that are followed by no character of UTF-8. */
const badlyEncodedIds = ['%', '%zz', '%e0%a4', '%ff%fe', '%c0%ae%c0%ae', '%ed%a0%80', 'x%', '%u0041', '%2']

/** Other spellings of an id that exists. */
const respelled: [string, (id: string) => string][] = [
  ['in capitals', (id) => id.toUpperCase()],
  ['in braces', (id) => `%7B${id}%7D`],
  ['as a URN', (id) => `urn:uuid:${id}`],
  ['without dashes', (id) => id.replaceAll('-', '')],
  ['with a space after it', (id) => `${id}%20`],
  ['with a space before it', (id) => `%20${id}`],
  ['with a NUL after it', (id) => `${id}%00`],
  ['with a line feed after it', (id) => `${id}%0A`],
  ['with a slash after it', (id) => `${id}%2F`],
  ['with a matrix parameter', (id) => `${id};v=1`],
  ['twice', (id) => `${id},${id}`],
  ['with half a percent sign', (id) => `${id}%`],
]

function brokenIds(parameter: string): Case[] {
  const refused = refusalOf(parameter)
  const withId = (spell: (id: string) => string) => (draft: Draft) => ({
    ...draft,
    ids: { ...draft.ids, [parameter]: spell(draft.ids[parameter]!) },
  })
  const named = (id: string, expected: Expected): Case => ({
    about: `${parameter} is ${id.length > 60 ? `${id.length} long` : id}`,
    change: withId(() => id),
    expected,
  })
  return [
    ...strangeIds.map((id) => named(id, refused)),
    // no name of any kind is spelled so, whoever may choose it
    ...badlyEncodedIds.map((id) => named(id, nounOf(parameter) === undefined ? notFound : refused)),
    { about: `${parameter} names nothing`, change: withId(() => newId()), expected: refused },
    ...respelled.map(([about, spell]) => ({
      about: `${parameter} ${about}`,
      change: withId(spell),
      expected: nounOf(parameter) === undefined ? ('anything documented' as const) : refused,
    })),
    {
      about: `${parameter} in needless percent-encoding`,
      change: withId((id) => id.replace(/%..|[0-9]/g, (one) => (one.length > 1 ? one : `%3${one}`))),
      expected: 'done',
    },
    {
      about: `${parameter} is badly encoded, and nobody asks`,
      change: (draft) => withoutCredential(withId(() => '%zz')(draft)),
      expected: { status: 401, error: 'unauthorized' },
    },
  ]
}

/** What the good request asks for stays, unless this asks for something else by the same name. */
const withQuery = (query: string) => (draft: Draft) => {
  const asked = new URLSearchParams(query)
  const kept = draft.query.split('&').filter((pair) => pair !== '' && !asked.has(pair.split('=')[0]!))
  return { ...draft, query: [...kept, query].join('&') }
}

const unknownParameters: Case[] = [
  'no_such_name=1',
  'no_such_name',
  'no_such_name=1&no_such_name=2',
  '__proto__=1&constructor=1&toString=1',
  'a[]=1&a[b]=2',
  '=',
  '&&&',
  '=1&=2',
  '?',
  'no_such_name=%zz',
  `no_such_name=${'x'.repeat(7000)}`,
].map((query) => ({ about: `the query ${query.slice(0, 40)}`, change: withQuery(query), expected: 'done' }))

const notIntegers = [
  '-1',
  '-0',
  '1e1',
  '0x10',
  '0b1',
  '%205',
  '5%20',
  '+5',
  '%2B5',
  '5.0',
  '.5',
  '1_0',
  '1,0',
  'five',
  'NaN',
  'Infinity',
  'null',
  'true',
  '%D9%A5',
  '%EF%BC%95',
  '5n',
  '5%00',
  '%zz',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  '9'.repeat(400),
  '1%27%20or%201=1',
]

const notInstants = [
  'yesterday',
  '2026-02-30',
  '2026-13-01',
  '2026-01-01T00:00:00',
  '2026-01-01T25:00:00Z',
  '2026-01-01T00:00:61Z',
  '20260101T000000Z',
  '2026-W01',
  '1767225600',
  '0000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '%2B010000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '0001-01-01T00:00:00%2B23:59',
  '2026-01-01T00:00:00Z%00',
  "2026-01-01T00:00:00Z'",
]

const notBooleans = ['True', 'TRUE', 'yes', 'no', '1', '0', 'on', 'off', 't', 'f', 'null', '%20true']

function badValues(schema: Schema): string[] {
  const { type, format, minimum, maximum, maxLength } = schema
  if (type === 'integer') {
    const beyond = [
      ...(minimum === undefined ? [] : [String(minimum - 1)]),
      ...(maximum === undefined ? [] : [String(maximum + 1)]),
    ]
    return [...notIntegers, ...beyond]
  }
  if (type === 'boolean') return notBooleans
  if (schema.enum) return ['no_such_member', String(schema.enum[0]).toUpperCase(), `${String(schema.enum[0])}%20`]
  if (format === 'date-time') return notInstants
  if (type !== 'string') return []
  const tooLong =
    maxLength === undefined ? [] : ['x'.repeat(maxLength + 1), encodeURIComponent('é'.repeat(maxLength + 1))]
  return ['a%00b', '%00', ...tooLong.filter((text) => text.length < 8000)]
}

function goodValues(schema: Schema): string[] {
  const { type, format, minimum, maximum, maxLength } = schema
  if (type === 'integer') return [minimum, maximum].filter((edge) => edge !== undefined).map((edge) => `0${edge}`)
  if (type === 'boolean') return ['true', 'false']
  if (schema.enum) return schema.enum.map((member) => encodeURIComponent(String(member)))
  if (format === 'date-time') {
    return ['2026-01-01', '2026-01-01T00:00Z', '2026-01-01T00:00:00.123456789%2B05:30', '2026-01-01T02:00:00+02:00']
  }
  if (type !== 'string') return []
  const full = maxLength === undefined ? [] : ['x'.repeat(maxLength), encodeURIComponent('é'.repeat(maxLength))]
  return ['x', '%20', '%F0%9F%98%80', "'; drop table members; --".replaceAll(' ', '+'), ...full].filter(
    (text) => text.length < 8000 && schema.pattern === undefined,
  )
}

/** Paths that lead out of a workspace, or nowhere; a NUL in one is no other mistake than that. */
const strayPaths = [
  '..',
  '..%2Fx',
  'a%2F..%2F..%2Fx',
  '%2Fetc%2Fpasswd',
  '%2Fworkspacex',
  'a%00b',
  '%00',
  'a%5Cb',
  '%252e%252e%2Fx',
  '%EF%BC%8E%EF%BC%8E%2Fx',
  'file%3A%2F%2F%2Fx',
  '~%2Fx',
  'a%0Ab',
  'x'.repeat(1025),
]

function brokenPath(name: string, { examples }: Schema): Case[] {
  const good = encodeURIComponent(String(examples![0]))
  const refused: Expected = { ...invalid, naming: [name] }
  const at = (value: string, expected: Expected): Case => ({
    about: `${name}=${value.slice(0, 40)}`,
    change: withQuery(`${name}=${value}`),
    expected,
  })
  return [
    ...strayPaths.map((path) => at(path, notFound)),
    ...[good, `%2Fworkspace%2F${good}`, `.%2F%2F${good}`, `${good}%2F`].map((path) => at(path, 'done')),
    ...['', 'no%2Fsuch%2Ffile', '%20', '.', '%2Fworkspace'].map((path) => at(path, 'anything documented')),
    ...['%ff', '5%2', '%c0%ae%c0%ae%2Fx'].map((path) => at(path, refused)),
    { about: `${name} twice`, change: withQuery(`${name}=${good}&${name}=${good}`), expected: refused },
    { about: `${name} in capitals is unknown`, change: withQuery(`${name.toUpperCase()}=%00`), expected: 'done' },
  ]
}

function brokenParameter(name: string, schema: Schema): Case[] {
  if (schema.format === 'path') return brokenPath(name, schema)
  const [good = 'x'] = goodValues(schema)
  const refused: Expected = { ...invalid, naming: [name] }
  return [
    ...badValues(schema).map((value): Case => ({
      about: `${name}=${value.slice(0, 40)}`,
      change: withQuery(`${name}=${value}`),
      expected: refused,
    })),
    ...goodValues(schema).map((value): Case => ({
      about: `${name}=${value.slice(0, 40)}`,
      change: withQuery(`${name}=${value}`),
      // there is a first version, and no other
      expected: name === 'version' && Number(value) > 1 ? notFound : 'done',
    })),
    { about: `${name} twice`, change: withQuery(`${name}=${good}&${name}=${good}`), expected: refused },
    { about: `${name} twice, once empty`, change: withQuery(`${name}=${good}&${name}=`), expected: refused },
    {
      about: `${name} by another spelling twice`,
      change: withQuery(`${name}=${good}&%${hex(name)}=${good}`),
      expected: refused,
    },
    { about: `${name} empty`, change: withQuery(`${name}=`), expected: 'done' },
    { about: `${name} without a value`, change: withQuery(name), expected: 'done' },
    { about: `${name} in capitals is unknown`, change: withQuery(`${name.toUpperCase()}=%00`), expected: 'done' },
    { about: `${name} with half a character`, change: withQuery(`${name}=%ff`), expected: refused },
    { about: `${name} with half a percent sign`, change: withQuery(`${name}=5%2`), expected: refused },
  ]
}

/** The first letter as its code, the rest as it is. */
const hex = (name: string): string => name.charCodeAt(0).toString(16) + name.slice(1)

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK']

/** Requests to the neighbourhood of a path, where nothing is. */
export function nextToPath(path: string, taken: string[], stage: Draft): Case[] {
  const at = (about: string, change: (template: string) => string): Case => ({
    about: `${about} at ${path}`,
    change: () => ({ ...stage, path: change(path) }),
    expected: 'no operation',
  })
  return [
    ...methods
      .filter((method) => !taken.includes(method))
      .map((method) => ({
        about: `${method} ${path}`,
        change: () => ({ ...stage, method }),
        expected: 'no operation' as const,
      })),
    at('a slash at the end', (template) => `${template}/`),
    at('two slashes at the end', (template) => `${template}//`),
    at('two slashes at the start', (template) => `/${template}`),
    at('two slashes inside', (template) => template.replace(/\/(?=[^/]*$)/, '//')),
    at('a dot inside', (template) => template.replace(/\/(?=[^/]*$)/, '/./')),
    at('two dots inside', (template) => template.replace('/v2/', '/v2/x/../')),
    at('a backslash', (template) => template.replace('/v2/', '/v2\\')),
    at('capitals', (template) => template.replace('/v2/', '/V2/')),
    at('an encoded slash', (template) => template.replace('/v2/', '/v2%2F')),
    at('another version', (template) => template.replace('/v2/', '/v3/')),
    at('a bad percent sign outside of any id', (template) => template.replace('/v2/', '/v2%zz/')),
    at('one more segment', (template) => `${template}/no-such-thing`),
    at('a NUL at the end', (template) => `${template}%00/`),
    ...['POST', 'PUT', 'OPTIONS', 'DELETE'].map((method) => ({
      about: `a body of no type to ${method} ${path}/no-such-thing/at-all`,
      change: () => ({
        ...stage,
        method,
        path: `${path}/no-such-thing/at-all`,
        headers: { 'content-type': 'garbage' },
        raw: '{',
      }),
      expected: 'no operation' as const,
    })),
  ]
}

// made once: fast-check prepares its dangerous strings again for each
const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 })
const anyQuery = fc
  .string({ unit: 'grapheme-ascii', maxLength: 60 })
  .map((value) => value.replace(/[ #]/g, '+'))
  .map((query): Case => ({ about: `the query ${query}`, change: withQuery(query), expected: 'anything documented' }))

/** Any text as an id, any text as a parameter. */
export function randomAddresses(operation: DocumentedOperation): Arbitrary<Case> {
  const ids = operation.pathParameters
    .filter((name) => nounOf(name) !== undefined)
    .map((name) =>
      anyText.map((id): Case => ({
        about: `${name} is ${JSON.stringify(id)}`,
        change: (draft) => ({ ...draft, ids: { ...draft.ids, [name]: encodeURIComponent(id) } }),
        expected: refusalOf(name),
      })),
    )
  const parameters = Object.entries(operation.query).map(([name, { type, format }]) =>
    anyText.map((value): Case => {
      const isNever = (type === 'integer' || format === 'date-time') && !/^\d/.test(value)
      return {
        about: `${name} is ${JSON.stringify(value)}`,
        change: withQuery(`${name}=${encodeURIComponent(value)}`),
        expected: isNever ? { ...invalid, naming: [name] } : 'anything documented',
      }
    }),
  )
  return fc.oneof(...ids, ...parameters, anyQuery)
}
