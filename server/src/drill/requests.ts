// Requests to the API, and what of an answer whoever drills it wants to know.

export interface Asked {
  method?: string
  path: string
  body?: object
}

export interface Answered {
  status: number
  text: string
}

/** No request of a drill takes long, unless the service hangs. */
const timeoutMs = 60_000

/** One request without any retry; rejects when the connection breaks. */
export const requestsTo =
  (baseUrl: string, key: string) =>
  async ({ method = 'GET', path, body }: Asked): Promise<Answered> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: answer.status, text: await answer.text() }
  }

/** Takes only a good answer. */
export function bodyOf({ status, text }: Answered): Record<string, unknown> {
  if (status >= 300) throw new Error(`the service answered ${status}: ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}
