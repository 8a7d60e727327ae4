// A reader that takes nothing of a long answer holds its bytes in memory, so the connection is closed after a while.
import type { ServerResponse } from 'node:http'

/** How long a reader may take nothing. A sender that pauses gets an answer earlier (requestBody.ts). */
const stalledMs = 90_000

export function dropWhenStalled(response: ServerResponse): void {
  response.setTimeout(stalledMs, () => response.destroy())
}
