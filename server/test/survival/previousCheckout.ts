// The previous release as files: its commit in a folder of its own, with the packages that it names.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { previousRelease } from '../../src/base/olderCode.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Another commit can be named, to try the step from there. */
const previousCommit = process.env['RUNYARD_PREVIOUS_RELEASE'] ?? previousRelease.commit

export interface PreviousCheckout {
  commit: string
  /** How many migrations it knows. */
  migrations: number
  /** The program of its service. */
  main: string
  /** Whether it can be started on a newer schema: releases before decision 0064 cannot. */
  mayRestart: boolean
  remove: () => Promise<void>
}

/** Why there is none to be had here: a package that was unpacked has no history, and a shallow clone only its end. */
export async function whyNoPrevious(): Promise<string | undefined> {
  try {
    await run('git', ['-C', root, 'cat-file', '-e', `${previousCommit}^{commit}`])
    return undefined
  } catch {
    return `the history here does not reach the previous release, ${previousCommit.slice(0, 8)}`
  }
}

export async function checkOutPrevious(): Promise<PreviousCheckout> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-previous-'))
  // passable for the user that PostgreSQL runs as when the tests run as root
  await chmod(folder, 0o711)
  const archive = join(folder, 'release.tar')
  await run('git', ['-C', root, 'archive', '--format=tar', '-o', archive, previousCommit])
  await run('tar', ['-xf', archive, '-C', folder])
  await rm(archive)
  if (await hasSamePackages(folder)) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  else await run('npm', ['ci'], { cwd: folder, maxBuffer: 100_000_000 })
  const { stdout } = await run('git', ['-C', root, 'ls-tree', '--name-only', previousCommit, 'server/migrations/'])
  return {
    commit: previousCommit.slice(0, 8),
    migrations: stdout.split('\n').filter((file) => file.endsWith('.sql')).length,
    main: join(folder, 'server/src/main.ts'),
    mayRestart: existsSync(join(folder, 'server/src/base/olderCode.ts')),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

interface Lock {
  packages: Record<string, { version?: string; link?: boolean; resolved?: string }>
}

/** Whether everything that it names is installed here in the same version. Our own parts are found by their paths. */
async function hasSamePackages(folder: string): Promise<boolean> {
  const [before, now] = await Promise.all(
    [folder, root].map(async (at) => JSON.parse(await readFile(join(at, 'package-lock.json'), 'utf8')) as Lock),
  )
  return Object.entries(before!.packages).every(
    ([path, { version, link }]) =>
      link || !path.startsWith('node_modules/') || now!.packages[path]?.version === version,
  )
}
