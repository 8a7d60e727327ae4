// Processor time of processes, as /proc tells it; undefined where there is none.
import { readdirSync, readFileSync } from 'node:fs'

interface Times {
  parent: number
  /** Of the process itself, with all its threads. */
  ownMs: number
  /** Of its children that have ended. */
  endedMs: number
}

/** User and system time of a process. */
export const processorMs = (pid: number): number | undefined => timesOf(pid)?.ownMs

/**
 * Of a process and of its children. What a child took is counted when it has ended too, so the difference of two moments is right
 * while children come and go, as the processes of PostgreSQL do.
 */
export function familyProcessorMs(pid: number): number | undefined {
  const own = timesOf(pid)
  if (!own) return undefined
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter((times) => times?.parent === pid)
  return own.ownMs + own.endedMs + children.reduce((sum, child) => sum + child!.ownMs, 0)
}

/** Fields 4 and 14 to 17 of /proc/<pid>/stat, times in ticks of 10 ms. */
function timesOf(pid: number): Times | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    const ms = (from: number) => (Number(fields[from - 3]) + Number(fields[from - 2])) * 10
    return { parent: Number(fields[1]), ownMs: ms(14), endedMs: ms(16) }
  } catch {
    return undefined
  }
}
