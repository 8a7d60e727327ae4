// Signals for a whole PostgreSQL server: the postmaster and every process it has forked, found through /proc.
import { readdir, readFile } from 'node:fs/promises'

/** The postmaster first, so that it forks nobody while its children are looked for. */
export async function signalTree(postmaster: number, signal: NodeJS.Signals): Promise<void> {
  if (signal !== 'SIGKILL') signalIfThere(postmaster, signal)
  const children = await childrenOf(postmaster)
  signalIfThere(postmaster, signal)
  for (const pid of children) signalIfThere(pid, signal)
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(pids.map(parentOf))
  return pids.filter((_, index) => parents[index] === parent)
}

/** Undefined for a process that ended while we looked. The fields behind the name are state and parent. */
async function parentOf(pid: number): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return undefined
    throw error
  }
}
