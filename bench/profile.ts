// node bench/profile.ts <bench> [folder]: where the service and its floor spend their processor time under a bench's load.
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { connections } from './interleave.ts'
import * as keyedWrite from './keyedWrite.ts'
import type { Shot } from './connection.ts'
import { startLoad, type Load } from './load.ts'
import { withPair, type Contest } from './pair.ts'
import * as readById from './readById.ts'
import { makeDataDir } from './service.ts'

const contests: Record<string, Contest> = { readById: readById.contest, keyedWrite: keyedWrite.contest }
const warmUpMs = 5000
const rounds = 5
const roundMs = 2000
const shown = 40

/** The parts of a .cpuprofile that are read here; times in µs of the machine's monotonic clock. */
interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

/** A process under profile, and the stretches of time in which it alone had load. */
interface Side {
  pid: number
  host: string
  port: number
  requests: number
  loaded: { from: number; until: number }[]
}

async function main(name: string | undefined, folder: string | undefined): Promise<void> {
  const contest = contests[name ?? '']
  if (!contest) throw new Error(`usage: profile.ts ${Object.keys(contests).join(' | ')} [folder for the profiles]`)
  await using dataDir = await makeDataDir()
  await using load = await startLoad()
  const into = folder ?? join(dataDir.path, 'profiles')
  await mkdir(into, { recursive: true })
  // the pid in the name tells whose profile it is
  const execArgv = ['--cpu-prof', `--cpu-prof-dir=${into}`]
  const sides = await withPair(contest, dataDir, { execArgv }, async (service, floor, shot) => {
    const both = [service, floor].map(({ pid, host, port }): Side => ({ pid, host, port, requests: 0, loaded: [] }))
    for (const side of both) await run(load, side, shot, warmUpMs)
    for (const side of both) Object.assign(side, { requests: 0, loaded: [] })
    for (let round = 0; round < rounds; round++) for (const side of both) await run(load, side, shot, roundMs)
    return both
  })
  const [ours, floor] = await Promise.all(sides.map((side) => selfTimes(into, side)))
  print(`${name}, by package or file`, ours!.byPlace, floor!.byPlace)
  print(`${name}, by function`, ours!.byFunction, floor!.byFunction)
}

async function run(load: Load, side: Side, shot: Shot, ms: number): Promise<void> {
  const from = microseconds()
  const result = await load.run({ host: side.host, port: side.port, shot, connections, ms })
  if (result.failures > 0) throw new Error(`${result.failures} requests failed: ${result.firstFailure}`)
  side.requests += result.requests
  side.loaded.push({ from, until: microseconds() })
}

/** V8 and process.hrtime read the same clock on Linux and macOS, so moments of this process cut the child's profile. */
const microseconds = (): number => Number(process.hrtime.bigint() / 1000n)

type Times = Map<string, number>

/** In µs a request. Idle time is left out: what counts is what a request costs, not how long it waits. */
async function selfTimes(folder: string, side: Side): Promise<{ byFunction: Times; byPlace: Times }> {
  const file = (await readdir(folder)).find((found) => found.split('.').includes(String(side.pid)))
  if (!file) throw new Error(`process ${side.pid} left no profile in ${folder}`)
  const { nodes, startTime, samples, timeDeltas } = JSON.parse(await readFile(join(folder, file), 'utf8')) as Profile
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const byFunction: Times = new Map()
  const byPlace: Times = new Map()
  let at = startTime
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index]!
    const { functionName, url, lineNumber } = frames.get(id)!
    if (functionName === '(idle)' || !side.loaded.some(({ from, until }) => from <= at && at <= until)) continue
    // a sample stands for the time until the next one
    const micros = (timeDeltas[index + 1] ?? 0) / side.requests
    const place = placeOf(url) || 'of V8 and Node, in C++'
    const label = url ? `${functionName || '(anonymous)'}  ${place} ${basename(url)}:${lineNumber + 1}` : functionName
    for (const total of ['all of it', label]) byFunction.set(total, (byFunction.get(total) ?? 0) + micros)
    for (const total of ['all of it', place]) byPlace.set(total, (byPlace.get(total) ?? 0) + micros)
  }
  return { byFunction, byPlace }
}

function placeOf(url: string): string {
  const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  return inPackage ?? /(?:server\/src|bench)\/.*/.exec(url)?.[0] ?? url
}

/** By what ours costs more: shared costs such as system calls are at the end, however large. */
function print(title: string, ours: Times, floor: Times): void {
  console.log(`\n${title}\nours and floor, µs of self time a request, and ours above the floor's`)
  const above = (label: string) => (ours.get(label) ?? 0) - (floor.get(label) ?? 0)
  const labels = [...new Set([...ours.keys(), ...floor.keys()])].sort((a, b) => above(b) - above(a)).slice(0, shown)
  for (const label of labels) {
    const figures = [ours.get(label) ?? 0, floor.get(label) ?? 0, above(label)]
    console.log(`${figures.map((figure) => figure.toFixed(1).padStart(7)).join('')}  ${label}`)
  }
}

await main(process.argv[2], process.argv[3])
