// The process: reads its settings, serves its roles, and stops cleanly when it is asked to.
import { flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ConfigError, readConfig, unknownSettings } from './base/config.ts'
import { DatabaseRefused } from './base/databaseRefused.ts'
import { isPassing, queryCanceled, sqlState } from './base/db.ts'
import { EncryptionKeyRefused } from './base/encryptionKey.ts'
import { createLog, type Log } from './base/log.ts'
import { readableLines } from './base/readableLog.ts'
import { MigrationRefused } from './base/migrate.ts'
import { box } from './box.ts'
import { firstSignIn } from './firstSignIn.ts'
import type { Feature } from './kit/feature.ts'
import { PortTaken, serve, serveSuspects } from './serve.ts'

const ownFile = fileURLToPath(import.meta.url)
const exitConfig = 78
/** How long work may take beyond the drain time: at its end it is asked to stop, and needs a moment to do so. */
const deafMs = 5000
/** A terminal and npm may both deliver one Ctrl-C: a second signal this soon after the first counts as the same. */
const sameWishMs = 500

/** How long a process that fails may take to give its work back; other processes find the rest. */
const failingMs = 5000

export async function main(args: string[], features?: Feature[]): Promise<void> {
  const told = untilTold()
  const { values } = parseArgs({
    args,
    options: { role: { type: 'string' }, suspects: { type: 'string' } },
    strict: true,
  })
  const env = values.role === undefined ? process.env : { ...process.env, RUNYARD_ROLE: values.role }
  const config = readConfig(env)
  const isReadable = config.logFormat === 'text' || (config.logFormat === 'auto' && process.stderr.isTTY)
  const log = createLog(config.logLevel, isReadable ? readableLines(process.stderr) : process.stderr)
  const failed = untilFailed(log)
  void told.then((wish) => log.info(wish, 'stopping'))
  for (const name of unknownSettings(env)) log.warn({ setting: name }, 'no such setting; is it misspelled?')

  const startedAt = performance.now()
  const running = values.suspects
    ? await serveSuspects(config, log, values.suspects === 'one' ? 'one' : 'several', features)
    : await serve(config, log, { features, entry: features === undefined ? ownFile : (process.argv[1] ?? ownFile) })
  log.info({ role: config.role, ready_ms: Math.round(performance.now() - startedAt) }, 'ready')
  if (!values.suspects) {
    const isTerminal = process.stdout.isTTY
    const signInUrl = isTerminal ? await firstSignIn(running) : undefined
    process.stdout.write(box(config, running, { isTerminal, signInUrl }))
    // `runyard dev` waits for it; whoever started us may be gone
    process.send?.({ ready: running.baseUrl }, undefined, undefined, () => undefined)
  }

  // Node would keep its compiled code only at a clean end: without it, whoever starts after a kill needs more than twice the time
  flushCompileCache()

  const wish = await Promise.race([told, failed])
  const isFailing = 'failure' in wish
  setTimeout(
    () => {
      log.error('work under way did not end in time; it is left to the other processes')
      process.exit(1)
    },
    isFailing ? failingMs : config.drainS * 1000 + deafMs,
  ).unref()
  await running.stop(isFailing ? { patient: false } : wish)
  log.info('stopped')
  if (isFailing) throw new StoppedByFailure(wish.failure)
}

/** The process ended because of a mistake of ours that nobody caught. Its stack is in the log. */
class StoppedByFailure extends Error {
  constructor(cause: unknown) {
    super(`Runyard stopped, because of an error that nothing caught: ${String(cause)}`, { cause })
  }
}

/**
 * No error ends the process silently. A rejection because the database is away is not a reason to end: whoever waits learns of it
 * in another way, and the job engine (kit/jobEngine.ts) leaves some rejections unhandled. Any other error may have left a piece of work
 * undone for ever, so the process logs it, gives back what it holds and exits with 1.
 */
function untilFailed(log: Log): Promise<{ failure: unknown }> {
  return new Promise((resolve) => {
    const fail = (error: unknown) => {
      log.fatal({ err: error }, 'an error that nothing caught; the process stops, and others take its work')
      resolve({ failure: error })
    }
    process.on('unhandledRejection', (error) => {
      const isLate = sqlState(error) === queryCanceled
      if (isPassing(error) || isLate)
        log.error({ err: error }, 'nothing handled this trouble with the database; the process continues')
      else fail(error)
    })
    process.on('uncaughtException', fail)
  })
}

/**
 * SIGTERM comes from a supervisor behind a load balancer, SIGINT from a person; a second signal exits at once. It listens from the first
 * moment: a process that is stopped while it starts also leaves no server and no file behind.
 */
function untilTold(): Promise<{ patient: boolean }> {
  return new Promise((resolve) => {
    let toldAt: number | undefined
    const tell = (patient: boolean) => {
      toldAt ??= performance.now()
      resolve({ patient })
    }
    const signalled = (patient: boolean) => {
      if (toldAt !== undefined && performance.now() - toldAt > sameWishMs) process.exit(130)
      tell(patient)
    }
    process.on('SIGTERM', () => signalled(true))
    process.on('SIGINT', () => signalled(false))
    // scripts/start.mjs and `runyard dev` say 'stop' for an interrupt that reached only themselves, and are gone when they were killed
    process.on('message', (message) => message === 'stop' && tell(false))
    process.on('disconnect', () => tell(false))
  })
}

/** What an operator can fix is reported as a sentence; anything else with its stack. */
export function exitWith(error: unknown): never {
  if (error instanceof ConfigError) {
    process.stderr.write(
      `Runyard cannot start with these settings:\n${error.problems.map((line) => `  ${line}\n`).join('')}`,
    )
    process.exit(exitConfig)
  }
  const isPlain =
    error instanceof PortTaken ||
    error instanceof DatabaseRefused ||
    error instanceof EncryptionKeyRefused ||
    error instanceof MigrationRefused ||
    String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
  const told = error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : String(error)
  process.stderr.write(error instanceof StoppedByFailure ? `${error.message}\n` : `Runyard cannot start: ${told}\n`)
  process.exit(1)
}

if (import.meta.main) {
  main(process.argv.slice(2)).then(() => process.exit(0), exitWith)
}
