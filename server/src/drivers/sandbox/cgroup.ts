// A control group (version 2) around a command, where this process may make one: memory and processes held by the kernel.
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { CommandLimits } from './sandbox.ts'

export interface Cgroup {
  /** The file to which a process writes its id to join the group, with everything that it starts. */
  joinPath: string
  /** Whether the kernel killed something in it because memory ran out. */
  ranOutOfMemory(): Promise<boolean>
  remove(): Promise<void>
}

/**
 * Beside our own group and not inside it: a group that holds processes cannot hand controllers down (the kernel's rule of
 * no internal processes). Null where that is not allowed, which is usual in containers.
 */
export async function findCgroupParent(root = '/sys/fs/cgroup', own = '/proc/self/cgroup'): Promise<string | null> {
  try {
    const path = /^0::(\/.*)$/m.exec(await readFile(own, 'utf8'))?.[1]
    if (path === undefined) return null
    const parent = join(root, dirname(path))
    const controllers = (await readFile(join(parent, 'cgroup.subtree_control'), 'utf8')).trim().split(' ')
    if (!controllers.includes('memory') || !controllers.includes('pids')) return null
    const probe = await makeCgroup(parent, { memoryBytesMax: 1024 * 1024, processesMax: 1 })
    await probe.remove()
    return parent
  } catch {
    // there is no such hierarchy, or we may not write to it: then the process tree is watched instead
    return null
  }
}

export async function makeCgroup(
  parent: string,
  limits: Pick<CommandLimits, 'memoryBytesMax' | 'processesMax'>,
): Promise<Cgroup> {
  const folder = join(parent, `runyard-${randomUUID()}`)
  await mkdir(folder)
  try {
    await writeFile(join(folder, 'memory.max'), String(limits.memoryBytesMax))
    // it counts threads, and some programs have a dozen of them
    await writeFile(join(folder, 'pids.max'), String(4 * limits.processesMax))
  } catch (error) {
    await rmdir(folder)
    throw error
  }
  return {
    joinPath: join(folder, 'cgroup.procs'),
    async ranOutOfMemory() {
      const events = await readFile(join(folder, 'memory.events'), 'utf8')
      return Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0) > 0
    },
    async remove() {
      // the kernel counts a process for a moment after its end
      for (let attempt = 0; attempt < 20; attempt += 1) {
        try {
          return await rmdir(folder)
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
          await pause(10)
        }
      }
    },
  }
}
