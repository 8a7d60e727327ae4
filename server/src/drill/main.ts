// The process of a drill that was asked for in the console: a worker of the service starts it with the drill's id.
import { readConfig } from '../base/config.ts'
import { createLog } from '../base/log.ts'
import { drill } from './drill.ts'
import { usualTimeoutMs } from './timeout.ts'

async function main(id: string): Promise<void> {
  const stopping = new AbortController()
  // whoever started it is stopping, or gone
  process.on('SIGTERM', () => stopping.abort())
  process.on('disconnect', () => stopping.abort())
  process.on('SIGINT', () => undefined)
  const config = readConfig(process.env)
  await drill({
    config,
    log: createLog('error'),
    asked: { id },
    timeoutMs: usualTimeoutMs,
    signal: stopping.signal,
    tell: () => undefined,
  })
}

if (import.meta.main) {
  main(process.argv[2] ?? '').then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, () => process.exit(1))
    },
  )
}
