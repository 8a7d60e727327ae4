// Installs a peer from npm into a temporary folder outside of the project.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Peer } from './versions.ts'

const installMaxMs = 300_000

/** The folder that the peer's program loads its packages from. No script of a package runs: none of these needs one. */
export async function install({ name, packages }: Peer, into: string, signal: AbortSignal): Promise<string> {
  const folder = join(into, name.toLowerCase())
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  const settings = { cwd: folder, timeout: installMaxMs, signal, shell: process.platform === 'win32' }
  await promisify(execFile)('npm', ['install', ...options], settings).catch((error: Error & { stderr?: string }) => {
    // the message repeats the command; what npm says is the news
    throw new Error(error.stderr?.trim() || error.message, { cause: error })
  })
  return folder
}
