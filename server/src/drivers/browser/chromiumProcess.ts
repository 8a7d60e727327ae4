// One Chromium as a child process: without our rights, our environment or our files, and gone when we are.
import { spawn, type ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { chown, lstat, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectOverCDPTransport } from 'playwright-core'
import { pipeOf } from '../../base/pipeOf.ts'
import { isRoot, type Account } from '../../base/accounts.ts'
import { isAlive } from '../../base/isAlive.ts'
import { chromiumArguments } from './chromiumArguments.ts'
import type { ChromiumFiles } from './chromiumFiles.ts'
import { pipeTransport } from './pipeTransport.ts'

export interface ChromiumProcess {
  transport: ConnectOverCDPTransport
  /** Where downloads land. */
  downloads: string
  /** Resolves when it has ended, however. */
  ended: Promise<void>
  /** The end of what it wrote to its log. */
  lastWords(): string
  /** Whether this process stays alive for its sake. */
  hold(held: boolean): void
  end(): Promise<void>
}

/**
 * Chromium refuses its sandbox to root, and whoever breaks out of a page should not be root either. It does not run as `nobody` (65534)
 * either, who owns the embedded database's files: this is a number that no system gives to anybody.
 */
export const accountForChromium = (): Account | undefined => (isRoot() ? { uid: 65533, gid: 65533 } : undefined)

const folderPrefix = `runyard-browser-`

export async function startChromium(
  files: ChromiumFiles,
  options: { account: Account | undefined; isSandboxed: boolean },
): Promise<ChromiumProcess> {
  const { account, isSandboxed } = options
  const folder = await makeFolder(account)
  const [profile, downloads] = [join(folder, 'profile'), join(folder, 'downloads')]
  const child = spawn(files.executable, chromiumArguments({ profile, isSandboxed }), {
    ...account,
    cwd: folder,
    env: { ...files.env, HOME: folder, TMPDIR: folder, XDG_CACHE_HOME: join(folder, 'cache') },
    // the DevTools protocol is read from 3 and written to 4
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  const stderr = pipeOf(child, 2)
  const to = pipeOf(child, 3)
  const from = pipeOf(child, 4)
  let words = ''
  stderr.on('data', (data: Buffer) => (words = (words + data.toString()).slice(-4000)))
  const transport = pipeTransport(to, from, () => killTree(child))
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  child.once('error', (error) => {
    words += String(error)
    resolve()
  })
  child.once('exit', () => resolve())
  void ended.then(transport.ended)
  const leave = (): void => {
    killTree(child)
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', leave)
  const hold = (held: boolean): void => {
    for (const one of [child, stderr, to, from]) one[held ? 'ref' : 'unref']()
  }
  return {
    transport,
    ended,
    downloads,
    lastWords: () => words,
    hold,
    async end() {
      hold(true)
      process.off('exit', leave)
      killTree(child)
      await ended
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Its own process group, so that no renderer outlives it. */
function killTree(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch (error) {
    // it had ended already
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function makeFolder(account: Account | undefined): Promise<string> {
  const parent = await realpath(tmpdir())
  await removeLeftovers(parent)
  const folder = await mkdtemp(join(parent, `${folderPrefix}${process.pid}-`))
  for (const name of ['profile', 'downloads', 'cache']) await mkdir(join(folder, name), { mode: 0o700 })
  if (account) {
    for (const name of ['profile', 'downloads', 'cache', '']) await chown(join(folder, name), account.uid, account.gid)
  }
  return folder
}

/** Removes the folders of processes that were killed; the number in the name is the id of the process. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(folderPrefix) ? Number.parseInt(name.slice(folderPrefix.length), 10) : Number.NaN
    if (Number.isNaN(pid) || isAlive(pid)) continue
    const folder = join(parent, name)
    // another process may be sweeping at the same time
    const found = await lstat(folder).catch(() => undefined)
    const owner = accountForChromium()?.uid ?? process.getuid?.() ?? 0
    if (found?.isDirectory() && found.uid === owner) await rm(folder, { recursive: true, force: true })
  }
}
