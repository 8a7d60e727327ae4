// A client whose requests and answers have the types of the operations: a field that is renamed does not compile in tests.
import assert from 'node:assert/strict'
import type { ErrorCode } from '../../src/base/errors.ts'
import type { Operation, TypedOperation } from '../../src/kit/operation.ts'
import { registryOf } from '../../src/kit/registry.ts'
import type { ParametersOf } from '../../src/kit/resources.ts'
import type { Static, TObject, TSchema } from '../../src/kit/schema.ts'
import { requireFit } from './answers.ts'
import type { TestTeam } from './seed.ts'
import type { TestApp } from './testApp.ts'

/** A value after its way through JSON, where a time is text. */
type Json<T> = T extends Date ? string : T extends object ? { [K in keyof T]: Json<T[K]> } : T

/** A part of a request that may be left out when nothing in it is required. */
type Part<Name extends string, T> = object extends T ? { [N in Name]?: T } : { [N in Name]: T }

/** What a request gives; the team of the path is the client's own. */
type Given<Path extends string, Query extends TObject, Body extends TObject> = Part<
  'params',
  { [P in Exclude<ParametersOf<Path>, 'teamId'>]: string }
> &
  Part<'query', Partial<Static<Query>>> &
  Part<'body', Static<Body>>

interface Refusal {
  status: number
  error: ErrorCode
  message: string
}

interface TypedClient {
  /** Sends a request, and gives the body of its answer. An answer with another status than the declared one fails the test. */
  send<Path extends string, Query extends TObject, Body extends TObject, Answer extends TSchema>(
    operation: TypedOperation<Path, Query, Body, Answer>,
    given: Given<Path, Query, Body>,
  ): Promise<Json<Static<Answer>>>
  /** Sends a request that is answered by a file. */
  file<Path extends string, Query extends TObject, Body extends TObject>(
    operation: TypedOperation<Path, Query, Body, TSchema>,
    given: Given<Path, Query, Body>,
  ): Promise<{ bytes: Buffer; headers: Headers }>
  /** Sends a request that must be refused, and gives the refusal. */
  refused<Path extends string, Query extends TObject, Body extends TObject>(
    operation: TypedOperation<Path, Query, Body, TSchema>,
    given: Given<Path, Query, Body>,
  ): Promise<Refusal>
}

interface AnyGiven {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: object
}

/** The client of a team, over real HTTP. */
export function typedClient(service: TestApp, team: TestTeam): TypedClient {
  const { context } = service
  const exchange = async (operation: Operation, { params, query, body }: AnyGiven) => {
    const { method } = operation
    const baseUrl = context.lifecycle.listeningOn ?? (await service.listen())
    const values: Record<string, string> = { teamId: team.id, ...params }
    const path = operation.path.replaceAll(/:(\w+)\*?/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
    const search = Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)])
    const url = search.length > 0 ? `${path}?${new URLSearchParams(search).toString()}` : path
    const response = await fetch(`${baseUrl}${url}`, {
      method,
      headers: { authorization: `Bearer ${team.key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const text = bytes.toString()
    const type = response.headers.get('content-type') ?? undefined
    const parsed = type?.startsWith('application/json') ? JSON.parse(text) : undefined
    requireFit(registryOf(context), { method, url, status: response.status, type, body: parsed })
    return { status: response.status, body: parsed, text, bytes, headers: response.headers }
  }
  return {
    async send(operation, given) {
      const { status, body, text } = await exchange(operation, given)
      assert.equal(status, operation.status, text)
      return body
    },
    async file(operation, given) {
      assert.ok(operation.answerFile, `${operation.id} answers JSON`)
      const { status, text, bytes, headers } = await exchange(operation, given)
      assert.equal(status, operation.status, text)
      return { bytes, headers }
    },
    async refused(operation, given) {
      const { status, body, text } = await exchange(operation, given)
      assert.ok(status >= 400, text)
      return { status, error: body.error, message: body.message }
    },
  }
}
