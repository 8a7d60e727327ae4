// Builds the console into console/dist when it is missing or its sources have changed.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFolder, ensureBuilt } from './ensureBuilt.mjs'
import { root } from './install.mjs'
import { exitWith } from './run.mjs'
import { noBundler } from './testGroups.mjs'

const dist = join(root, 'console', 'dist')

/** What a build is made of. The lock file stands for all packages, also those that only build. */
const sources = [
  'package-lock.json',
  'scripts/viteConsole.mjs',
  'console/index.html',
  'console/package.json',
  'console/public',
  'console/src',
  'console/vite.config.ts',
  'sdk/src',
]

/** Resolves to 0 when console/dist is what the sources give, else to the exit code of the build, whose reason is printed then. */
export async function ensureConsole() {
  const code = await ensureBuilt({
    dist,
    sources,
    program: 'scripts/viteConsole.mjs',
    name: 'the console',
    says: 'Building the console, a few seconds…',
    kept: 1,
  })
  if (code !== 0) console.error(sentenceFor(code))
  return code
}

function sentenceFor(code) {
  const older = builtFolder(dist)
    ? 'The service shows the console as it was built before.'
    : 'The service works without it; its / says how to get it.'
  return code === noBundler ? older : `The console could not be built (exit ${code}): see above. ${older}`
}

/** The files of the build that counts, as paths below the repository: what the npm package takes. */
export function consoleFiles() {
  const inside = readdirSync(join(dist, builtFolder(dist)), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  return [join(dist, 'build.json'), ...inside].map((file) => file.slice(root.length + 1))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await exitWith(ensureConsole)
