// The permissions of a just-bash child: it reads its own code and the workspace, writes the workspace, and starts threads.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { besideFile } from '../../base/besideFile.ts'

/** Where the child and its threads lie. */
const here = dirname(fileURLToPath(besideFile('justBashChild', import.meta.url)))

/** Where a package lies, and those it depends on: only what is installed, since some are optional. */
function packageFolders(name: string, from: string, found: Set<string>): void {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) {
      addPackage(realpathSync(candidate), found)
      found.add(candidate) // pnpm links packages, and Node reads through the link
      return
    }
    if (folder === dirname(folder)) return
  }
}

function addPackage(folder: string, found: Set<string>): void {
  if (found.has(folder)) return
  found.add(folder)
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) packageFolders(name, folder, found)
}

let packages: Set<string> | undefined

function justBashFolders(): Set<string> {
  if (packages === undefined) {
    packages = new Set()
    packageFolders('just-bash', here, packages)
  }
  return packages
}

/**
 * Node's permission model is the second barrier, behind the interpreter: without a flag there is no child process, no native addon, no file
 * elsewhere. It does not restrict the network in this release of Node, but nothing in just-bash opens a socket.
 */
export function childFlags(folder: string, laid?: string): string[] {
  assert.ok(!`${folder}${laid}`.includes('*'), 'in these flags a star stands for any name')
  // Node 24 forgets the one of two folders whose path begins with that of the other
  assert.ok(
    laid === undefined || !laid.startsWith(folder),
    'the name of one folder must not begin with that of the other',
  )
  const readable = [
    here,
    // a bundle has it inside
    fileURLToPath(new URL('../../base/besideFile.ts', import.meta.url)),
    fileURLToPath(new URL('../../../package.json', import.meta.url)),
    ...justBashFolders(),
    folder,
    ...(laid === undefined ? [] : [laid]),
  ]
  return [
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${folder}`,
    '--allow-worker',
    '--no-warnings',
    `--require=${fileURLToPath(besideFile('waitForChange', import.meta.url))}`,
  ]
}
