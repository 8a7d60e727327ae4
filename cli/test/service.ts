// A real service with a few agents for the tests of the command line, in pipes and in a terminal.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Runyard } from '../../sdk/src/index.ts'
import { features } from '../../server/src/features.ts'
import type { TSchema } from '../../server/src/kit/schema.ts'
import { validatorOf } from '../../server/src/kit/validate.ts'
import { compiledCode, programFile } from '../../server/test/kit/programFile.ts'
import { preparedDataDir, startService } from '../../server/test/survival/processes.ts'
import { lineWith, type Outcome } from './lines.ts'
import { inTerminal, type Terminal } from './terminal.ts'

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))

export interface TestedService {
  sdk: Runyard
  env: NodeJS.ProcessEnv
  folder: string
  /** A command line in a pipe. */
  line: (words: string[], piped?: string) => Promise<Outcome>
  /** A command line in a terminal, in a process of its own. */
  terminal: (words: string[], env?: NodeJS.ProcessEnv, typedAhead?: string) => Terminal
  /** A command line in a process of its own whose stdout is a pipe. */
  inPipe: (words: string[]) => Piped
  agent: (name: string, procedure: string, more?: Record<string, unknown>) => Promise<string>
  close: () => Promise<void>
}

export interface Piped {
  /** Waits until this many lines are there. */
  lines: (count: number) => Promise<string[]>
  /** Sends the signal; the exit code, and all that it wrote to stderr. */
  stop: (signal: NodeJS.Signals) => Promise<{ code: number | null; stderr: string }>
}

function inPipe(words: string[], env: NodeJS.ProcessEnv): Piped & { child: ChildProcess } {
  const child = spawn(process.execPath, [programFile(program), ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  let stderr = ''
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => lines.push(line))
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
  const closed = once(child, 'close') as Promise<[number | null]>
  return {
    child,
    async lines(count) {
      while (lines.length < count) {
        const [over] = await Promise.race([once(reader, 'line').then(() => []), closed])
        if (over !== undefined) throw new Error(`It ended with ${over} after ${lines.length} lines: ${stderr}`)
      }
      return lines
    },
    async stop(signal) {
      child.kill(signal)
      const [code] = await closed
      return { code, stderr }
    },
  }
}

export async function openService(settings: Record<string, string> = {}): Promise<TestedService> {
  const dataDir = await preparedDataDir()
  const service = await startService({ dataDir: dataDir.path, env: settings })
  const folder = await mkdtemp(join(tmpdir(), 'runyard-cli-'))
  const env = { PATH: process.env['PATH'], HOME: folder, RUNYARD_URL: service.baseUrl, RUNYARD_API_KEY: service.key }
  const sdk = new Runyard({ apiKey: service.key, baseUrl: service.baseUrl })
  const terminals: Terminal[] = []
  const children: ChildProcess[] = []
  return {
    sdk,
    env,
    folder,
    line: (words, piped) => lineWith(words, env, piped),
    terminal(words, more = {}, typedAhead) {
      const line = [process.execPath, programFile(program), ...words]
      const terminal = inTerminal(line, { ...compiledCode, ...env, ...more }, folder, typedAhead)
      terminals.push(terminal)
      return terminal
    },
    inPipe(words) {
      const piped = inPipe(words, { ...compiledCode, ...env })
      children.push(piped.child)
      return piped
    },
    async agent(name, input, more = {}) {
      const config = { version: 'v2' as const, data: { input, ...more } }
      return (await sdk.agents.create({ name, build: { config } })).agent_id
    },
    async close() {
      for (const terminal of terminals) terminal.kill()
      for (const child of children) child.kill('SIGKILL')
      await service.stop()
      await dataDir.remove()
      await rm(folder, { recursive: true })
    },
  }
}

const operations = features.flatMap((feature) => feature.operations)

/** A value that a command printed is what the operation declares, or one part of it. */
export function requireFit(value: unknown, operationId: string, ...path: string[]): void {
  const operation = operations.find(({ id }) => id === operationId)
  let schema = operation?.answer as TSchema & Record<string, Record<string, TSchema>>
  for (const part of path) {
    const below = part === '[]' ? schema['items'] : schema['properties']?.[part]
    schema = below as typeof schema
  }
  const validator = validatorOf(schema)
  if (!validator.Check(value)) assert.fail(`${operationId}: ${JSON.stringify(validator.Errors(value))}`)
}
