// Holds an answer against what was declared of it: its status, its schema, the one shape of errors.
import assert from 'node:assert/strict'
import { errorKinds, type ErrorCode } from '../../src/base/errors.ts'
import type { Operation } from '../../src/kit/operation.ts'
import { validatorOf } from '../../src/kit/validate.ts'
import type { Registry } from '../../src/kit/registry.ts'

interface Seen {
  method: string
  url: string
  status: number
  /** The Content-Type. */
  type: string | undefined
  /** Undefined when the answer is not JSON. */
  body: unknown
}

/** Made once: every call of every test asks. */
const patterns = new WeakMap<Registry, { operation: Operation; pattern: RegExp }[]>()

function patternsOf(registry: Registry): { operation: Operation; pattern: RegExp }[] {
  let known = patterns.get(registry)
  if (!known) {
    known = registry.operations.map((operation) => {
      const path = operation.path.replace(/:\w+\*$/, '.*').replace(/:\w+/g, '[^/]+')
      return { operation, pattern: new RegExp(`^${path}$`) }
    })
    patterns.set(registry, known)
  }
  return known
}

export function operationOf(registry: Registry, method: string, url: string): Operation | undefined {
  const path = url.split('?')[0]!
  return patternsOf(registry).find(({ operation, pattern }) => operation.method === method && pattern.test(path))
    ?.operation
}

export function requireFit(registry: Registry, { method, url, status, type = '', body }: Seen): void {
  const operation = operationOf(registry, method, url)
  if (!operation) return
  const where = `${operation.id} ${status} ${JSON.stringify(body)}`
  const { protocol } = operation
  if (protocol && status === 202) return assert.equal(body, undefined, where)
  if (protocol && isRefusal(body)) return assert.ok(validatorOf(protocol.refusal).Check(body), where)
  if (status >= 400) return requireErrorShape(status, body, where)
  assert.equal(status, operation.status, where)
  if (operation.answerFile) {
    return assert.ok(operation.answerFile.types.includes(type.replace(/;.*/, '')), `${where} has the type ${type}`)
  }
  if (!operation.answer) return assert.equal(body, undefined, where)
  const validator = validatorOf(operation.answer)
  // what is wrong is found out only where something is: that takes much longer than to see that nothing is
  if (!validator.Check(body)) assert.fail(`${where}: ${JSON.stringify(validator.Errors(body))}`)
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
