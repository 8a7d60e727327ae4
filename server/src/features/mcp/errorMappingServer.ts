// An MCP server that answers invalid params as such, and hides the message of our own failures: the SDK would send both as they were thrown.
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'

type Handler = Parameters<Server['_wrapHandler']>[1]

export class TellingServer extends Server {
  /** For the log. */
  onFailure: (error: unknown) => void = () => undefined

  /** The SDK checks the params before it calls a handler, and throws; a handler of ours rejects. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    return super._wrapHandler(method, async (request, context) => {
      let answer: ReturnType<Handler>
      try {
        answer = handler(request, context)
      } catch (error) {
        throw error instanceof ProtocolError ? error : misfit(method, error)
      }
      try {
        return await answer
      } catch (error) {
        if (error instanceof ProtocolError) throw error
        this.onFailure(error)
        throw new ProtocolError(ProtocolErrorCode.InternalError, 'The server failed to carry this out. Try again.')
      }
    })
  }
}

function misfit(method: string, error: unknown): ProtocolError {
  const says = `The params do not fit ${method}: ${problemOf((error as Error).message)}.`
  return new ProtocolError(ProtocolErrorCode.InvalidParams, says)
}

/** The SDK gives a list of problems as JSON; the first one is the answer. */
function problemOf(text: string): string {
  try {
    const [problem] = JSON.parse(text) as { path: (string | number)[]; message: string }[]
    return problem ? `${problem.path.join('.')}: ${problem.message}` : text
  } catch {
    return text
  }
}
