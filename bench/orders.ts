// A child process that carries out orders one after the other. It is kept from round to round, so that its code is compiled before the
// first figure counts.
import { fork } from 'node:child_process'
import { once } from 'node:events'

export interface Orders<Order, Result> extends AsyncDisposable {
  run(order: Order): Promise<Result>
}

/** `file` is a module that calls `takeOrders` when it is run; `name` is what errors call it. */
export async function startOrders<Order extends object, Result extends object>(
  file: string,
  name: string,
  signal?: AbortSignal,
): Promise<Orders<Order, Result>> {
  const child = fork(file, { ...(signal && { signal }) })
  let failed: ((error: Error) => void) | undefined
  child.on('error', (error) => failed?.(error))
  child.on('exit', (code, killedBy) => failed?.(new Error(`${name} ended (${code ?? killedBy})`)))
  await once(child, 'spawn')
  return {
    run: (order) =>
      new Promise((resolve, reject) => {
        failed = reject
        child.once('message', (answer: Result | { problem: string }) => {
          if ('problem' in answer) reject(new Error(`${name} failed: ${answer.problem}`))
          else resolve(answer)
        })
        child.send(order, (error) => error && reject(error))
      }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      failed = undefined
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** In the child: answers each order, until the parent is gone. */
export function takeOrders<Order>(carryOut: (order: Order) => Promise<object>): void {
  process.on('disconnect', () => process.exit(0))
  process.on('message', (order: Order) => {
    carryOut(order).then(
      (result) => process.send!(result),
      (error: unknown) => process.send!({ problem: String(error) }),
    )
  })
}
