// Holds an answer against what was declared of it: its status, its schema, the one shape of errors.
import assert from 'node:assert/strict'
import { errorKinds, type ErrorCode } from '../../src/base/errors.ts'
import type { Registry } from '../../src/kit/feature.ts'
import type { Operation } from '../../src/kit/operation.ts'
import { validatorOf } from '../../src/kit/validate.ts'

interface Seen {
  method: string
  url: string
  status: number
  body: unknown
}

export function operationOf(registry: Registry, method: string, url: string): Operation | undefined {
  const path = url.split('?')[0]!
  return registry.operations.find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replace(/:\w+\*$/, '.*').replace(/:\w+/g, '[^/]+')}$`).test(path),
  )
}

export function requireFit(registry: Registry, { method, url, status, body }: Seen): void {
  const operation = operationOf(registry, method, url)
  if (!operation) return
  const where = `${operation.id} ${status} ${JSON.stringify(body)}`
  const { protocol } = operation
  if (protocol && status === 202) return assert.equal(body, undefined, where)
  if (protocol && isRefusal(body)) return assert.ok(validatorOf(protocol.refusal).Check(body), where)
  if (status >= 400) return requireErrorShape(status, body, where)
  assert.equal(status, operation.status, where)
  if (!operation.answer) return assert.equal(body, undefined, where)
  const validator = validatorOf(operation.answer)
  assert.ok(validator.Check(body), `${where}: ${JSON.stringify(validator.Errors(body))}`)
}

/** In the words of a protocol of its own, where an error of ours is inside. */
const isRefusal = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'jsonrpc' in body && 'error' in body

export function requireErrorShape(status: number, body: unknown, where: string): void {
  assert.deepEqual(Object.keys(body as object), ['error', 'message'], where)
  const { error, message } = body as { error: ErrorCode; message: string }
  assert.equal(errorKinds[error]?.status, status, where)
  assert.ok(message.length > 10, where)
}
