// A real service with a few agents for the tests of the command line, in pipes and in a terminal.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Runyard } from '../../sdk/src/index.ts'
import { features } from '../../server/src/features.ts'
import type { TSchema } from '../../server/src/kit/schema.ts'
import { validatorOf } from '../../server/src/kit/validate.ts'
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
  terminal: (words: string[], env?: NodeJS.ProcessEnv) => Terminal
  agent: (name: string, procedure: string) => Promise<string>
  close: () => Promise<void>
}

export async function openService(): Promise<TestedService> {
  const dataDir = await preparedDataDir()
  const service = await startService({ dataDir: dataDir.path })
  const folder = await mkdtemp(join(tmpdir(), 'runyard-cli-'))
  const env = { PATH: process.env['PATH'], HOME: folder, RUNYARD_URL: service.baseUrl, RUNYARD_API_KEY: service.key }
  const sdk = new Runyard({ apiKey: service.key, baseUrl: service.baseUrl })
  const terminals: Terminal[] = []
  return {
    sdk,
    env,
    folder,
    line: (words, piped) => lineWith(words, env, piped),
    terminal(words, more = {}) {
      const terminal = inTerminal([process.execPath, program, ...words], { ...env, ...more }, folder)
      terminals.push(terminal)
      return terminal
    },
    async agent(name, input) {
      const config = { version: 'v2' as const, data: { input } }
      return (await sdk.agents.create({ name, build: { config } })).agent_id
    },
    async close() {
      for (const terminal of terminals) terminal.kill()
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
