// How much memory a process holds, as /proc tells it.
import { readFileSync } from 'node:fs'

export const memoryMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
