// The processes of the Chromium that a test started, found in /proc.
import { readdirSync, readFileSync } from 'node:fs'

/** The browser process of this process, as the system knows it. Its own forks have the same command line for a moment, and ids of processes start again at the lowest. */
export function chromiumProcess(): { pid: number; environ: string[]; uid: string } | undefined {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const found: { pid: number; environ: string[]; uid: string; parent: number }[] = []
  for (const pid of pids) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (!command.includes(`runyard-browser-${process.pid}-`) || command.includes('--type=')) continue
      const environ = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
      const uid = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]!
      const parent = Number(/^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
      found.push({ pid: Number(pid), environ, uid, parent })
    } catch {
      continue // it ended while we looked
    }
  }
  return found.find(({ parent }) => !found.some(({ pid }) => pid === parent))
}

/** The processes that show pages, below that one. */
export function rendererPids(browserPid: number): number[] {
  const parents = new Map<number, number>()
  const renderers: number[] = []
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const parent = /^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))![1]
      parents.set(Number(name), Number(parent))
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('--type=renderer')) renderers.push(Number(name))
    } catch {
      continue // it ended while we looked
    }
  }
  const isBelow = (pid: number | undefined): boolean => pid === browserPid || (!!pid && isBelow(parents.get(pid)))
  return renderers.filter(isBelow)
}
