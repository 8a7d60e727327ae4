// When the host of a virtual machine took its processors for other machines: what is slow then says nothing about the service.
import { readFile } from 'node:fs/promises'

export interface StolenTime {
  /** What was taken since the watch began, in percent of all processors. */
  percent(): Promise<number>
  /** Whether the host left the machine its processors from a second before this time until after it. Times are those of `performance.now()`. */
  wasQuiet(from: number, to: number): boolean
  stop(): void
}

interface Look {
  at: number
  all: number
  stolen: number
}

const lookMs = 500
/** Whoever waits for a processor that was taken waits on for what has piled up meanwhile. */
const afterMs = 1000
const quietMax = 0.05

export async function watchStolenTime(): Promise<StolenTime> {
  const looks = [await look()]
  const timer = setInterval(() => void look().then((one) => looks.push(one)), lookMs)
  return {
    async percent() {
      return Math.round(1000 * shareBetween(looks[0]!, await look())) / 10
    },
    wasQuiet(from, to) {
      const begun = looks.findLastIndex(({ at }) => at <= from - afterMs)
      const ended = looks.findIndex(({ at }) => at >= to)
      const during = looks.slice(Math.max(0, begun), ended === -1 ? undefined : ended + 1)
      return during.every((one, n) => n === 0 || shareBetween(during[n - 1]!, one) <= quietMax)
    },
    stop: () => clearInterval(timer),
  }
}

const shareBetween = (from: Look, to: Look): number => (to.stolen - from.stolen) / Math.max(1, to.all - from.all)

/** In ticks of all processors so far. Where there is no /proc, nothing is taken. */
async function look(): Promise<Look> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => 'cpu')
  // user, nice, system, idle, iowait, irq, softirq, steal: proc_stat(5)
  const ticks = text.split('\n')[0]!.trim().split(/\s+/).slice(1, 9).map(Number)
  return { at: performance.now(), all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[7] ?? 0 }
}
