// Tools from npm that only long tests of deploy/ use: installed into a temporary folder, never into the project.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Installed {
  require: NodeJS.Require
  folder: string
  remove(): Promise<void>
}

export async function installOnDemand(packages: Record<string, string>): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-tools-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
    const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
    await promisify(execFile)('npm', words, { cwd: folder, timeout: 300_000 })
    return { require: createRequire(join(folder, 'package.json')), folder, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
