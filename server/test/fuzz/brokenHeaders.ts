// Headers in trouble: credentials spelled wrong, keys and request ids out of range, bodies declared as what they are not.
import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { newId } from '../../src/base/ids.ts'
import { invalid, isMutating, withoutCredential, type Case, type Expected } from './cases.ts'
import type { DocumentedOperation } from './document.ts'
import type { Draft } from './send.ts'

/** Told to the service as its own name: it may never repeat it. */
export const foreignHost = 'evil.example'

export const brokenHeaders = (operation: DocumentedOperation): Case[] => [
  ...credentials,
  ...requestIds,
  ...ignored,
  ...fromElsewhere(operation),
  ...(isMutating(operation.method) ? idempotencyKeys : []),
  ...(isMutating(operation.method) && !operation.takesBytes ? contentTypes : []),
]

const withHeader = (name: string, value: string | string[]) => (draft: Draft) => ({
  ...draft,
  headers: { ...draft.headers, [name]: value },
})

const header = (name: string, value: string | string[], expected: Expected): Case => ({
  about: `${name}: ${JSON.stringify(value).slice(0, 50)}`,
  change: withHeader(name, value),
  expected,
})

const keyOf = ({ headers }: Draft): string => String(headers['authorization']).replace('Bearer ', '')

const credential = (about: string, spell: (key: string) => string, expected: Expected): Case => ({
  about: `the credential ${about}`,
  change: (draft) => withHeader('authorization', spell(keyOf(draft)))(draft),
  expected,
})

const unknown: Expected = { status: 401, error: 'unauthorized' }

const credentials: Case[] = [
  {
    about: 'no credential',
    change: withoutCredential,
    expected: unknown,
  },
  credential('empty', () => '', unknown),
  credential('without a scheme', (key) => key, unknown),
  credential('of another scheme', (key) => `Basic ${key}`, unknown),
  credential('of the scheme Token', (key) => `Token ${key}`, unknown),
  credential('of the scheme alone', () => 'Bearer', unknown),
  credential('after a colon', (key) => `Bearer: ${key}`, unknown),
  credential('after a tab', (key) => `Bearer\t${key}`, unknown),
  credential('without a space', (key) => `Bearer${key}`, unknown),
  credential('in quotes', (key) => `Bearer "${key}"`, unknown),
  credential('with another word', (key) => `Bearer ${key} ${key}`, unknown),
  credential('twice', (key) => `Bearer ${key}, Bearer ${key}`, unknown),
  credential('with a letter more', (key) => `Bearer ${key}x`, unknown),
  credential('with a letter less', (key) => `Bearer ${key.slice(0, -1)}`, unknown),
  credential('in capitals', (key) => `Bearer ${key.toUpperCase()}`, unknown),
  credential('in percent-encoding', (key) => `Bearer ${key.replace('_', '%5F')}`, unknown),
  credential('with letters of Latin-1', (key) => `Bearer ${key}é`, unknown),
  credential('of 8 kB', () => `Bearer ${'x'.repeat(8000)}`, unknown),
  credential('of 8 kB that begins like ours', () => `Bearer ry_${'x_'.repeat(4000)}`, unknown),
  credential('that looks like SQL', () => `Bearer 'or'1'='1`, unknown),
  credential('of nobody', () => `Bearer ry_0123456789ab_${'x'.repeat(40)}_000000`, unknown),
  credential('of no access token', () => `Bearer ryt_${'x'.repeat(43)}`, unknown),
  credential('in small letters', (key) => `bearer ${key}`, 'done'),
  credential('in large letters', (key) => `BEARER ${key}`, 'done'),
  credential('after two spaces', (key) => `Bearer  ${key}`, 'done'),
]

const requestIds: Case[] = [
  '',
  'a',
  'my-request-1',
  'x'.repeat(128),
  'x'.repeat(129),
  'x'.repeat(4000),
  'two words',
  'é',
  '<script>alert(1)</script>',
  '"quoted"',
  '${jndi:ldap://x}',
  "'; drop table audit_log; --",
].map((id) => header('x-request-id', id, 'done'))

/** What means nothing here, and must stay without meaning. */
const ignored: Case[] = [
  header('accept', 'application/xml', 'done'),
  header('accept', 'text/html;q=0.1, nonsense', 'done'),
  header('accept-encoding', 'gzip, br, zstd', 'done'),
  header('accept-language', 'x'.repeat(500), 'done'),
  header('x-http-method-override', 'DELETE', 'done'),
  header('x-forwarded-for', '127.0.0.1, ::1', 'done'),
  header('x-forwarded-host', foreignHost, 'done'),
  header('cookie', 'a=b; '.repeat(200), 'done'),
  header('if-none-match', '*', 'done'),
  header('range', 'bytes=0-1', 'done'),
  header('upgrade', 'h2c', 'done'),
  header('accept-version', '9.9.9', 'done'),
]

/** Of no meaning but for MCP, which a browser that was led astray may not call: there it is refused before the credential is looked at. */
function fromElsewhere({ id }: DocumentedOperation): Case[] {
  const refused: Expected = { status: 403, error: 'forbidden' }
  const isChecked = id === 'callMcp'
  return [
    header('host', foreignHost, isChecked ? refused : 'done'),
    header('origin', `https://${foreignHost}`, isChecked ? refused : 'done'),
    {
      about: 'another host and no credential',
      change: (draft) => ({ ...draft, headers: { host: foreignHost } }),
      expected: isChecked ? refused : unknown,
    },
  ]
}

const badKey: Expected = { status: 400, error: 'invalid_idempotency_key' }

const withFreshKey = (draft: Draft) => withHeader('idempotency-key', newId())(draft)

const idempotencyKeys: Case[] = [
  header('idempotency-key', '', badKey),
  header('idempotency-key', 'x'.repeat(256), badKey),
  header('idempotency-key', 'x'.repeat(8000), badKey),
  header('idempotency-key', 'clé', 'done'),
  header('idempotency-key', 'a\tb', 'done'),
  header('idempotency-key', ['one', 'two'], badKey),
  {
    about: 'an Idempotency-Key of one character',
    change: (draft) => withHeader('idempotency-key', '!')(draft),
    expected: 'done',
    andThen: { change: (draft) => draft, expected: 'the first answer again' },
  },
  {
    about: 'an Idempotency-Key of 255 characters',
    change: (draft) => withHeader('idempotency-key', `${newId()} ~'"\\`.padEnd(255, '~'))(draft),
    expected: 'done',
  },
  {
    about: 'an Idempotency-Key again',
    change: withFreshKey,
    expected: 'done',
    andThen: { change: (draft) => draft, expected: 'the first answer again' },
  },
  {
    about: 'an Idempotency-Key again with another body',
    change: withFreshKey,
    expected: 'done',
    andThen: {
      change: (draft) => ({ ...draft, json: { ...draft.json, no_such_field: 1 } }),
      expected: { status: 409, error: 'idempotency_key_reused' },
    },
  },
  {
    about: 'an Idempotency-Key again with what is no body',
    change: withFreshKey,
    expected: 'done',
    andThen: {
      change: (draft) => ({ ...draft, raw: '{' }),
      expected: { status: 409, error: 'idempotency_key_reused' },
    },
  },
  {
    about: 'an Idempotency-Key again with another query',
    change: withFreshKey,
    expected: 'done',
    andThen: {
      change: (draft) => ({ ...draft, query: 'no_such_name=1' }),
      expected: { status: 409, error: 'idempotency_key_reused' },
    },
  },
  {
    about: 'an Idempotency-Key again without a credential',
    change: withFreshKey,
    expected: 'done',
    andThen: {
      change: withoutCredential,
      expected: unknown,
    },
  },
]

const declaredAs = (type: string, expected: Expected): Case => ({
  about: `a body declared as ${JSON.stringify(type)}`,
  change: (draft) => withHeader('content-type', type)({ ...draft, json: draft.json ?? {} }),
  expected,
})

const contentTypes: Case[] = [
  ...[
    'text/plain',
    'text/html',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/jsonx',
    'application/json-seq',
    'application/jsonapplication/json',
    'xapplication/json',
    'json',
    'garbage',
    ';',
    ',',
    '/',
    '*/*',
    'application/',
    'text/plain, application/json',
    'application/json, text/plain',
    'é',
    'x'.repeat(4000),
  ].map((type) => declaredAs(type, invalid)),
  ...[
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json ; charset="UTF-8"',
    'application/json; charset=utf-8; profile=x',
    'application/json;',
    'application/problem+json',
    'application/vnd.api+json',
  ].map((type) => declaredAs(type, 'done')),
  declaredAs('', 'anything documented'),
  {
    about: 'a compressed body',
    change: (draft) =>
      withHeader(
        'content-encoding',
        'gzip',
      )({ ...draft, raw: Buffer.concat([Buffer.from([31, 139]), randomBytes(64)]) }),
    expected: invalid,
  },
]

/** Any text as a token. */
export const randomCredentials: Arbitrary<Case> = fc
  .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 90 })
  .map((token) => credential(`is ${token}`, () => `Bearer ${token}`, unknown))
