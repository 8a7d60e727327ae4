// The command line: finds the command, reads the settings, and turns what happens into lines and an exit code.
import { parseArgs } from 'node:util'
import { DatabaseError } from 'pg'
import { ArchiveRefused } from './base/backup/readArchive.ts'
import { BackupRefused } from './base/backup/dump.ts'
import { RestoreRefused } from './base/backup/restore.ts'
import { ConfigError, readConfig } from './base/config.ts'
import { EncryptionKeyRefused } from './base/encryptionKey.ts'
import { createLog } from './base/log.ts'
import { MigrationRefused } from './base/migrate.ts'
import { SealBroken } from './base/sealedColumns.ts'
import { runyardVersion } from './base/version.ts'
import { backup } from './cli/backup.ts'
import { CommandFailed, UsageError, type Command } from './cli/command.ts'
import { doctor } from './cli/doctor.ts'
import { entitlementsList } from './cli/entitlementsList.ts'
import { entitlementsSet } from './cli/entitlementsSet.ts'
import { entitlementsUnset } from './cli/entitlementsUnset.ts'
import { helpFor, helpForAll, usageOf } from './cli/help.ts'
import { keyCreate } from './cli/keyCreate.ts'
import { keyRevoke } from './cli/keyRevoke.ts'
import { keyRotateEncryption } from './cli/keyRotateEncryption.ts'
import { migrateCommand } from './cli/migrateCommand.ts'
import { restore } from './cli/restore.ts'
import { serve } from './cli/serve.ts'
import { teamCreate } from './cli/teamCreate.ts'

const commands: Command[] = [
  serve,
  migrateCommand,
  teamCreate,
  keyCreate,
  keyRevoke,
  keyRotateEncryption,
  entitlementsList,
  entitlementsSet,
  entitlementsUnset,
  backup,
  restore,
  doctor,
]

/** EX_USAGE of sysexits.h; 128 + SIGINT. Bad settings exit as they do in main.ts. */
const exit = { failed: 1, usage: 64, interrupted: 130 }

type Print = (line: string) => void

const toStdout: Print = (line) => void process.stdout.write(`${line}\n`)
const toStderr: Print = (line) => void process.stderr.write(`${line}\n`)

/** Reports what went wrong as one line. Errors that `npm start` reports in its own way are thrown. */
export async function runAndReport(
  words: string[],
  env: NodeJS.ProcessEnv,
  out = toStdout,
  errors = toStderr,
): Promise<number> {
  try {
    return await runCommandLine(words, env, out)
  } catch (error) {
    if (error instanceof ConfigError || (words[0] === 'serve' && !(error instanceof UsageError))) throw error
    errors(sentenceFor(error))
    return exitCodeFor(error)
  }
}

export async function runCommandLine(words: string[], env: NodeJS.ProcessEnv, print = toStdout): Promise<number> {
  const [first] = words
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    const asked = first === 'help' ? commandIn(words.slice(1)) : undefined
    print(asked ? helpFor(asked) : helpForAll(commands))
    return 0
  }
  if (first === '--version') {
    print(runyardVersion)
    return 0
  }
  const command = commandIn(words)
  if (!command) {
    const named = words.filter((word) => !word.startsWith('-')).slice(0, 2)
    throw new UsageError(
      `There is no command "${named.join(' ')}". There are ${commands.map((one) => one.words).join(', ')} and help.`,
    )
  }
  const typed = readWords(command, words.slice(command.words.split(' ').length))
  if (typed === 'help') {
    print(helpFor(command))
    return 0
  }
  const config = readConfig(env)
  // only the service writes a log; a command prints what it has done
  const log = createLog(env.LOG_LEVEL ? config.logLevel : 'warn')
  const { signal, done } = command === serve ? withoutSignals : abortedByHand()
  try {
    return (await command.run({ ...typed, config, log, signal, print })) ?? 0
  } catch (error) {
    throw signal.aborted ? new Interrupted('Interrupted.', { cause: error }) : error
  } finally {
    done()
  }
}

class Interrupted extends Error {}

function commandIn(words: string[]): Command | undefined {
  return commands.find((one) => one.words.split(' ').every((word, index) => words[index] === word))
}

function readWords(command: Command, args: string[]): { values: object; positionals: string[] } | 'help' {
  const options = Object.fromEntries(Object.entries(command.options).map(([name, { type }]) => [name, { type }]))
  let parsed
  try {
    parsed = parseArgs({
      args,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    const [sentence] = (error as Error).message.split(/\. (?:To specify|Did you)/)
    throw new UsageError(`${sentence}. It takes: npx runyard ${usageOf(command)}`, { cause: error })
  }
  const { help, ...values } = parsed.values
  if (help) return 'help'
  if (parsed.positionals.length !== command.positionals.length) {
    throw new UsageError(`It takes: npx runyard ${usageOf(command)}`)
  }
  return { values, positionals: parsed.positionals }
}

/** A service listens to signals by itself. */
const withoutSignals = { signal: new AbortController().signal, done: () => undefined }

/** The first signal asks to stop cleanly, which leaves no server and no half file behind; the second does not wait. */
function abortedByHand(): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController()
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const abort = () => {
    if (controller.signal.aborted) process.exit(exit.interrupted)
    controller.abort()
  }
  for (const name of names) process.on(name, abort)
  return {
    signal: controller.signal,
    done() {
      for (const name of names) process.off(name, abort)
    },
  }
}

const plainErrors = [
  CommandFailed,
  UsageError,
  Interrupted,
  ArchiveRefused,
  BackupRefused,
  RestoreRefused,
  EncryptionKeyRefused,
  MigrationRefused,
  SealBroken,
  DatabaseError,
]

/** What somebody can fix is reported as a sentence; what is our own mistake with its stack. */
function sentenceFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const ofTheSystem = typeof (error as NodeJS.ErrnoException).syscall === 'string'
  return ofTheSystem || plainErrors.some((kind) => error instanceof kind)
    ? error.message
    : (error.stack ?? error.message)
}

function exitCodeFor(error: unknown): number {
  if (error instanceof UsageError) return exit.usage
  return error instanceof Interrupted ? exit.interrupted : exit.failed
}

async function main(): Promise<void> {
  try {
    process.exit(await runAndReport(process.argv.slice(2), process.env))
  } catch (error) {
    const { exitWith } = await import('./main.ts')
    exitWith(error)
  }
}

if (import.meta.main) await main()
