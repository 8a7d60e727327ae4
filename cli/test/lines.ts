// Runs command lines in this process, as in a pipe, against a service of the test.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after } from 'node:test'
import type { Config } from '../../server/src/base/config.ts'
import { seedTeam, type TestTeam } from '../../server/test/kit/seed.ts'
import { testApp, type TestApp } from '../../server/test/kit/testApp.ts'
import { runAndReport } from '../src/main.ts'

export interface Outcome {
  code: number
  stdout: string
  stderr: string
  bytes: Buffer
}

type Line = (...words: string[]) => Promise<Outcome>

export interface Bench {
  app: TestApp
  baseUrl: string
  /** A folder of the test's own, where the home of the user is too. */
  folder: string
  team: TestTeam
  env: NodeJS.ProcessEnv
  runyard: Line
  /** The same for another team. */
  as: (team: TestTeam) => Line
}

export async function openBench(config: Partial<Config> = {}): Promise<Bench> {
  const app = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'], ...config } })
  const baseUrl = await app.listen()
  const team = await seedTeam(app)
  const folder = await mkdtemp(join(tmpdir(), 'runyard-lines-'))
  after(() => rm(folder, { recursive: true }))
  const envOf = ({ key }: TestTeam) => ({ HOME: folder, RUNYARD_URL: baseUrl, RUNYARD_API_KEY: key })
  const as = (other: TestTeam): Line => {
    return (...words) => lineWith(words, envOf(other))
  }
  return { app, baseUrl, folder, team, env: envOf(team), runyard: as(team), as }
}

/** `piped`: what comes in on stdin. */
export async function lineWith(words: string[], env: NodeJS.ProcessEnv, piped = ''): Promise<Outcome> {
  const pieces: Buffer[] = []
  let stderr = ''
  const code = await runAndReport(words, env, {
    stdout: { write: (data) => pieces.push(Buffer.from(data)) },
    stderr: { write: (data) => (stderr += String(data)) },
    stdin: Readable.from([Buffer.from(piped)]) as unknown as NodeJS.ReadStream,
  })
  const bytes = Buffer.concat(pieces)
  return { code, stdout: bytes.toString(), stderr, bytes }
}

/** What it printed, when it ended well. */
export async function printed(outcome: Promise<Outcome>): Promise<string> {
  const { code, stdout, stderr } = await outcome
  assert.equal(code, 0, stderr)
  return stdout
}

export const linesOf = (text: string): string[] => text.split('\n').filter(Boolean)
