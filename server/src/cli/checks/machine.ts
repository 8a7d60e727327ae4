// Checks of the machine and the data dir: Node, settings, files, disk and limits.
import { constants } from 'node:fs'
import { access, readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unknownSettings } from '../../base/config.ts'
import { readIfThere } from '../../base/atomicFile.ts'
import { isKeyFile } from '../../base/keyFiles.ts'
import { ok, problem, warning, type Check } from './check.ts'

const nodeMajorMin = 24

export const nodeVersion: Check = {
  name: 'Node',
  async run() {
    const major = Number(process.versions.node.split('.')[0])
    if (major >= nodeMajorMin) return ok(process.versions.node)
    return problem(`${process.versions.node} is too old: install Node ${nodeMajorMin} or newer.`)
  },
}

export const settings: Check = {
  name: 'settings',
  async run({ env }) {
    const unknown = unknownSettings(env)
    if (unknown.length === 0) return ok('all known')
    return warning(`${unknown.join(', ')}: no such setting. Is it misspelled? docs/configuration.md lists all.`)
  },
}

/** Each holds a password or a key. */
const isSecretFile = (name: string): boolean =>
  isKeyFile(name) || ['first-key', 'service.json', 'postgres.json'].includes(name)

export const dataDir: Check = {
  name: 'data dir',
  async run({ config: { dataDir: folder } }) {
    const found = await statIfThere(folder)
    if (!found) {
      const parent = await nearestFolder(folder)
      if (await isWritable(parent)) return ok(`${folder} is made at the first start`)
      return problem(`${folder} cannot be made: this user may not write to ${parent}. Set RUNYARD_DATA_DIR.`)
    }
    if (!found.isDirectory()) return problem(`${folder} is not a folder: set RUNYARD_DATA_DIR to another.`)
    if (!(await isWritable(folder))) return problem(`This user may not write to ${folder}: change its owner or mode.`)
    if (process.platform === 'win32') return ok(folder)
    for (const name of (await readdir(folder)).filter(isSecretFile)) {
      const file = await statIfThere(join(folder, name))
      if (file && (file.mode & 0o077) !== 0) {
        return problem(`${join(folder, name)} can be read by others: chmod 600 it.`)
      }
    }
    if ((found.mode & 0o022) !== 0) return problem(`Others may write to ${folder}: chmod 711 it.`)
    if ((found.mode & 0o044) !== 0) return warning(`Others may list ${folder}: chmod 711 it.`)
    return ok(`${folder}, mode ${(found.mode & 0o777).toString(8)}`)
  },
}

const gibibyte = 1024 ** 3

export const diskSpace: Check = {
  name: 'disk',
  async run({ config, database }) {
    const places = [config.dataDir, ...(database?.embedded ? [database.embedded.place] : [])]
    const measured = await Promise.all(
      places.map(async (place) => {
        const { bavail, bsize } = await statfs(await nearestFolder(place))
        return { place, free: bavail * bsize }
      }),
    )
    const least = measured.reduce((a, b) => (b.free < a.free ? b : a))
    const says = `${(least.free / gibibyte).toFixed(1)} GiB free in ${least.place}`
    if (least.free < gibibyte / 4) return problem(`${says}: make room before PostgreSQL has to stop.`)
    if (least.free < 2 * gibibyte) return warning(`${says}: make room soon.`)
    return ok(says)
  },
}

export const openFiles: Check = {
  name: 'open files',
  async run() {
    const limits = await readIfThere('/proc/self/limits')
    if (limits === undefined) return ok('this system does not say how many')
    // Node raises the soft limit to the hard one when it starts, so what is read here is what the service gets
    const limit = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity)
    if (limit < 1024) return problem(`at most ${limit}: raise it to 4096 or more (ulimit -n, LimitNOFILE of systemd).`)
    if (limit < 4096) return warning(`at most ${limit}: 4096 or more is better (ulimit -n, LimitNOFILE of systemd).`)
    return ok(`up to ${limit}`)
  },
}

async function statIfThere(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

/** The folder itself, or the first one above it that is there. */
async function nearestFolder(folder: string): Promise<string> {
  for (let step = folder; ; step = dirname(step)) {
    if ((await statIfThere(step))?.isDirectory() || step === dirname(step)) return step
  }
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK | constants.X_OK)
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
