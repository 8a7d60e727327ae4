// Proof: the drill of the command line, with 200 runs and 20 kills, on a scratch service that is healthy.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { programFile } from '../kit/programFile.ts'
import type { DrillResult } from '../../src/features/system/drills/drill.ts'
import type { Proof } from './proof.ts'

const cli = programFile(fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url)))

const scratchDirs = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('runyard-drill-'))

export const drillProof: Proof = {
  name: 'runyard drill --scratch: 200 runs, 20 kills',
  must: 'exit code 0, all zeros, and no data dir left',
  async run() {
    const before = await scratchDirs()
    const child = spawn(process.execPath, [cli, 'drill', '--scratch', '--runs', '200', '--kills', '20', '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    const left = (await scratchDirs()).filter((name) => !before.includes(name))
    const result = JSON.parse(out) as DrillResult
    return {
      counts: { exitCode: code, dirsLeft: left.length, ...result },
      holds: code === 0 && result.holds && left.length === 0,
    }
  },
}
