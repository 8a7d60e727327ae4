// An operation as a message of MCP asks for it.
import type { Reply } from '../../kit/reply.ts'

/** An operation by its id, carried out for the caller. */
export type CallOperation = (operationId: string, given: Record<string, unknown>, key?: string) => Promise<Reply>
