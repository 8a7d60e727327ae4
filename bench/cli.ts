// The command line: how long until the first byte of its help and of a list, beside a Node that does nothing.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Bed } from './interleave.ts'
import { makeDataDir, startService } from './service.ts'
import type { Row } from './table.ts'

const program = fileURLToPath(new URL('../cli/bin/runyard.mjs', import.meta.url))
/** How often each is started. */
const starts = 10
const helpMaxMs = 150
const runsMaxMs = 300

export async function cli(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const service = await startService(dataDir)
  try {
    const { host, port, apiKey } = service
    const env = { ...process.env, RUNYARD_URL: `http://${host}:${port}`, RUNYARD_API_KEY: apiKey }
    // the first one fills the compile cache
    for (const words of [['--help'], ['runs', '--csv']]) await firstByte([program, ...words], env)
    const times = { bare: [] as number[], help: [] as number[], runs: [] as number[] }
    for (let round = 0; round < starts; round += 1) {
      times.bare.push(await firstByte(['-e', '0'], env))
      times.help.push(await firstByte([program, '--help'], env))
      // a list without rows prints its head as CSV, so that there is a first byte
      times.runs.push(await firstByte([program, 'runs', '--csv'], env))
    }
    const [bare, help, runs] = [times.bare, times.help, times.runs].map(median) as [number, number, number]
    bed.tell(`${starts} starts of each`)
    return [
      row('runyard --help, first byte', help, bare, helpMaxMs),
      row('runyard runs, first byte', runs, bare, runsMaxMs),
    ]
  } finally {
    await service.stop()
  }
}

const row = (what: string, ms: number, bare: number, maxMs: number): Row => ({
  what,
  ours: `${ms.toFixed(0)} ms`,
  floor: `${bare.toFixed(0)} ms (node -e 0)`,
  ratio: (ms / bare).toFixed(2),
  target: `≤ ${maxMs} ms`,
  met: ms <= maxMs,
})

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Until the first byte on stdout; until the end where nothing is printed. */
async function firstByte(words: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const from = performance.now()
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let at: number | undefined
  child.stdout.on('data', () => (at ??= performance.now() - from))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${String(code)}`)
  return at ?? performance.now() - from
}
