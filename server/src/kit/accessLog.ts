// One log line and one measurement for every finished call of an operation, however it came.
import type { Context } from './context.ts'
import type { Operation } from './operation.ts'
import type { Reply } from './reply.ts'

/** A call that went well and changed nothing is logged only at debug level, because there are many of them. */
export function report(
  context: Context,
  operation: Operation,
  { requestId, startedAt }: { requestId: string; startedAt: number },
  answer: Reply,
): void {
  const tookMs = performance.now() - startedAt
  context.metrics.requestSeconds.observe({ operation: operation.id, status: String(answer.status) }, tookMs / 1000)
  const isQuiet = answer.status < 400 && (operation.onlyReads || operation.protocol !== undefined)
  const level = answer.status >= 500 ? 'error' : isQuiet ? 'debug' : 'info'
  if (!context.log.isLevelEnabled(level)) return
  context.log[level](
    {
      request_id: requestId,
      operation: operation.id,
      status: answer.status,
      duration_ms: Math.round(tookMs * 10) / 10,
      ...(answer.caller && { team_id: answer.caller.team_id, credential_id: answer.caller.credential.id }),
      ...(answer.cause !== undefined && { err: answer.cause }),
    },
    answer.status >= 500 ? 'request failed' : 'request',
  )
}
