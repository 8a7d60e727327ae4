// The folder for the sandboxes of this process. What dead processes left beside it is ended and removed.
import { lstat, mkdir, readdir, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { newId } from '../../base/ids.ts'
import { isAlive } from '../../base/isAlive.ts'
import type { Log } from '../../base/log.ts'
import { removeTree } from '../../base/removeTree.ts'
import { endLeftIn } from './processTree.ts'

export interface ProcessFolder {
  path: string
  /** Never rejects: what cannot be removed is logged. */
  remove(): Promise<void>
}

/** A living process touches its folder this often. */
const touchedEveryMs = 3600_000
/**
 * Nobody here can tell whether a process of another machine lives, and a killed container is a machine that never comes again. The processes of
 * a release that did not touch their folders have been replaced by then.
 */
const untouchedMs = 7 * 24 * 3600_000

/** The folders of this very process: its process id may have been another's before. */
const ours = new Set<string>()

export async function makeProcessFolder(dataDir: string, log: Log): Promise<ProcessFolder> {
  const all = resolve(dataDir, 'sandboxes')
  await mkdir(all, { recursive: true, mode: 0o711 })
  const machine = hostname().replace(/[^\w.-]/g, '_')
  await removeLeft(all, machine, log)
  const name = `${machine}+${process.pid}+${newId()}`
  const path = join(all, name)
  ours.add(name)
  await mkdir(path, { mode: 0o711 })
  const touching = setInterval(() => void touch(path, log), touchedEveryMs).unref()
  return {
    path,
    async remove() {
      clearInterval(touching)
      await removeTree(path).catch((error: unknown) =>
        log.warn(
          { err: error, folder: path },
          'the folder of the sandboxes could not be removed; the next start tries again',
        ),
      )
    },
  }
}

/** What cannot be removed stays, and keeps no process from its work. */
async function removeLeft(all: string, machine: string, log: Log): Promise<void> {
  for (const name of await readdir(all)) {
    const folder = join(all, name)
    try {
      if (!(await isLeft(folder, name, machine))) continue
      await endLeftIn(folder)
      await removeTree(folder)
    } catch (error) {
      log.warn({ err: error, folder }, 'what a dead process left of its sandboxes could not be removed')
    }
  }
}

async function isLeft(folder: string, name: string, machine: string): Promise<boolean> {
  const [of, pid] = name.split('+')
  if (pid === undefined || ours.has(name)) return false
  if (of === machine && (Number(pid) === process.pid || !isAlive(Number(pid)))) return true
  return Date.now() - (await lstat(folder)).mtimeMs > untouchedMs
}

async function touch(path: string, log: Log): Promise<void> {
  try {
    const now = new Date()
    await utimes(path, now, now)
  } catch (error) {
    log.warn({ err: error, folder: path }, 'the folder of the sandboxes could not be touched; will retry')
  }
}
