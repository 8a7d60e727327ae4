// What tools keep open for one held run: made when a call first asks for it, closed when this process releases the run.
import type { Log } from '../../base/log.ts'
import type { OpenResources } from '../../kit/tool.ts'

type Closable = { close(): Promise<void> }

export function createOpenResources(log: Log, runId: string): OpenResources & { close(): Promise<void> } {
  const open = new Map<string, Promise<Closable>>()
  let isClosed = false

  async function drop(key: string): Promise<void> {
    const opening = open.get(key)
    open.delete(key)
    try {
      await (await opening)?.close()
    } catch (error) {
      // whoever asked for it got the error of a failed opening; the operator must know of one that cannot be closed
      log.warn({ err: error, run_id: runId, kept: key }, 'a resource that a run held open could not be closed')
    }
  }

  return {
    async get<T extends Closable>(key: string, make: () => Promise<T>): Promise<T> {
      if (isClosed) throw new Error('the run is no longer held by this process')
      let opening = open.get(key) as Promise<T> | undefined
      if (!opening) {
        open.set(key, (opening = make()))
        // a failed opening is forgotten: the next call tries again
        opening.catch(() => open.get(key) === opening && open.delete(key))
      }
      return opening
    },
    drop,
    async close() {
      isClosed = true
      await Promise.all([...open.keys()].map(drop))
    },
  }
}
