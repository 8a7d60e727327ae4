// The folder for the sandboxes of this process. What dead processes of this machine left beside it is ended and removed.
import { mkdir, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { newId } from '../../base/ids.ts'
import { isAlive } from '../../base/isAlive.ts'
import { endLeftIn } from './processTree.ts'

/** The folders of this very process: its process id may have been another's before. */
const ours = new Set<string>()

export async function makeProcessFolder(dataDir: string): Promise<string> {
  const all = resolve(dataDir, 'sandboxes')
  await mkdir(all, { recursive: true, mode: 0o711 })
  const machine = hostname().replace(/[^\w.-]/g, '_')
  for (const name of await readdir(all)) {
    const [, pid] = name.startsWith(`${machine}+`) ? name.split('+') : []
    if (pid !== undefined && (Number(pid) === process.pid ? !ours.has(name) : !isAlive(Number(pid)))) {
      await endLeftIn(join(all, name))
      await rm(join(all, name), { recursive: true, force: true })
    }
  }
  const name = `${machine}+${process.pid}+${newId()}`
  ours.add(name)
  await mkdir(join(all, name), { mode: 0o711 })
  return join(all, name)
}
