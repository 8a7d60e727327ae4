// The title of a run that was started without one: the first line of its message, otherwise the name of its agent.

const lengthMax = 80

export function titleOf(message: unknown, agentName: string): string {
  const text = typeof message === 'string' ? message : namedIn(message)
  const line = text?.trim().split('\n', 1)[0]?.trim()
  if (!line) return agentName
  return line.length <= lengthMax
    ? line
    : `${line
        .slice(0, lengthMax - 1)
        .toWellFormed()
        .trimEnd()}…`
}

/** Fields in which payloads of other systems usually say what they are about. */
function namedIn(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  for (const field of ['title', 'subject', 'name', 'message', 'text']) {
    const value = (message as Record<string, unknown>)[field]
    if (typeof value === 'string' && value.trim()) return value
  }
  return undefined
}
