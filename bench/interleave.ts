// Interleaved rounds: ours, floor, ours, floor …, so that whatever else the machine does meets both alike.
import type { Shot } from './connection.ts'
import type { Load, Order } from './load.ts'
import { processorMs } from './processorTime.ts'
import type { Row } from './table.ts'

export interface Side {
  name: string
  pid: number
  host: string
  port: number
}

export interface Bed {
  load: Load
  /** What is wanted of a bench with parts, such as scenarios/inside3; none: all of them. */
  parts: string[]
  /** One short round, to try it. */
  isQuick: boolean
  /** Whoever started the bench wants it to end. */
  signal: AbortSignal
  tell(line: string): void
}

interface Measured {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Processor time of the process under load, in µs a request; undefined where there is no /proc. */
  cpuMicros: number | undefined
  /** Of one core: shows that the generator itself is not what limits. */
  generatorShare: number
}

export interface Comparison {
  ours: Measured
  floor: Measured
  /** One a round, ascending. */
  ratios: number[]
  ratio: number
}

export const connections = 64
/** Many short rounds rather than few long ones: other work on the machine comes and goes within seconds. */
const rounds = 15
const roundMs = 1500
const warmUpMs = 5000

export async function interleave(bed: Bed, shot: Shot, ours: Side, floor: Side): Promise<Comparison> {
  await measure(bed, shot, ours, warmUpMs)
  await measure(bed, shot, floor, warmUpMs)
  const pairs: { ours: Measured; floor: Measured }[] = []
  for (let round = 1; round <= rounds; round++) {
    const pair = {
      ours: await measure(bed, shot, ours, roundMs),
      floor: await measure(bed, shot, floor, roundMs),
    }
    pairs.push(pair)
    const both = `ours ${Math.round(pair.ours.perSecond)}/s, floor ${Math.round(pair.floor.perSecond)}/s`
    const generator = `generator ${percent(pair.ours.generatorShare)} and ${percent(pair.floor.generatorShare)} % of a core`
    bed.tell(
      `round ${round} of ${rounds}: ${both}, ${percent(pair.ours.perSecond / pair.floor.perSecond)} %; ${generator}`,
    )
  }
  const ratios = pairs.map((pair) => pair.ours.perSecond / pair.floor.perSecond).sort((a, b) => a - b)
  return {
    ours: middle(pairs.map((pair) => pair.ours)),
    floor: middle(pairs.map((pair) => pair.floor)),
    ratios,
    ratio: median(ratios),
  }
}

/** A figure with failures in it would be a lie: errors are answered faster than successes. */
async function measure({ load }: Bed, shot: Shot, side: Side, ms: number): Promise<Measured> {
  const order: Order = { host: side.host, port: side.port, shot, connections, ms }
  const cpuBefore = processorMs(side.pid)
  const result = await load.run(order)
  const cpuAfter = processorMs(side.pid)
  if (result.failures > 0) {
    throw new Error(`${side.name} failed ${result.failures} of ${result.requests} requests: ${result.firstFailure}`)
  }
  const cpuMicros =
    cpuBefore === undefined || cpuAfter === undefined ? undefined : ((cpuAfter - cpuBefore) * 1000) / result.requests
  const { perSecond, p50Ms, p99Ms, cpuShare } = result
  return { perSecond, p50Ms, p99Ms, cpuMicros, generatorShare: cpuShare }
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

function middle(rows: Measured[]): Measured {
  const cpu = rows.map((row) => row.cpuMicros).filter((value) => value !== undefined)
  return {
    perSecond: median(rows.map((row) => row.perSecond)),
    p50Ms: median(rows.map((row) => row.p50Ms)),
    p99Ms: median(rows.map((row) => row.p99Ms)),
    cpuMicros: cpu.length > 0 ? median(cpu) : undefined,
    generatorShare: median(rows.map((row) => row.generatorShare)),
  }
}

const percent = (share: number) => `${Math.round(share * 100)}`
const latency = ({ p50Ms, p99Ms }: Measured) => `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)}`

/** The figure with its target, then what explains it. */
export function rowsOf(what: string, target: number, { ours, floor, ratios, ratio }: Comparison): Row[] {
  const rows: Row[] = [
    {
      what: `${what}, requests/s`,
      ours: ours.perSecond.toFixed(0),
      floor: floor.perSecond.toFixed(0),
      ratio: `${percent(ratio)} % (${percent(ratios[0]!)}–${percent(ratios.at(-1)!)})`,
      target: `≥ ${percent(target)} %`,
      met: ratio >= target,
    },
    { what: '  latency p50 / p99, ms', ours: latency(ours), floor: latency(floor) },
  ]
  if (ours.cpuMicros !== undefined && floor.cpuMicros !== undefined) {
    rows.push({
      what: '  processor time of Node, µs a request',
      ours: ours.cpuMicros.toFixed(0),
      floor: floor.cpuMicros.toFixed(0),
      ratio: `${(ours.cpuMicros / floor.cpuMicros).toFixed(2)}×`,
    })
  }
  return rows
}
