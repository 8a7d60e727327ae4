// Builds the console into console/dist when it is missing or its sources have changed. Runs on any Node ≥ 18; the building itself needs Node 24.
//
// Each build has a folder of its own, and build.json names the one that counts. That file is replaced last and by rename: a build that was
// cut off is never taken for a whole one, and whoever reads an older build.json still finds every file that it leads to.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './install.mjs'
import { withInstallLock } from './installLock.mjs'
import { exitWith, runNode } from './run.mjs'
import { noBundler } from './testGroups.mjs'

const dist = join(root, 'console', 'dist')
const buildFile = join(dist, 'build.json')

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

/**
 * Resolves to 0 when console/dist is what the sources give, else to the exit code of the build, whose reason is printed then. If
 * nothing has changed, it reads some 150 files (measured: 10 ms).
 */
export async function ensureConsole() {
  if (isCurrent(sourcesHash())) return 0
  let code = 0
  try {
    await withInstallLock(
      join(root, 'node_modules', '.runyard-console.lock'),
      async (noteChild) => {
        code = await buildUnlessDone(noteChild)
      },
      'build of the console',
    )
  } catch (error) {
    // a checkout in which we may not write
    console.error(error.message)
    code = 1
  }
  if (code !== 0) console.error(sentenceFor(code))
  return code
}

/** What the bundler says comes by way of us, because to a terminal it would draw its progress. */
const passOn = (text) => process.stderr.write(text)

async function buildUnlessDone(noteChild) {
  // taken before the build: what changes while it runs makes the next start build again
  const madeOf = sourcesHash()
  if (isCurrent(madeOf)) return 0 // built by another command while we waited
  console.error('Building the console, a few seconds…')
  const before = readJson(buildFile)?.folder
  const folder = `${madeOf.slice(0, 12)}-${Date.now().toString(36)}`
  mkdirSync(join(dist, folder), { recursive: true })
  const code = await runNode(['scripts/viteConsole.mjs', join(dist, folder)], { started: noteChild, hear: passOn })
  if (code === 0) {
    const staged = `${buildFile}.${process.pid}`
    writeFileSync(staged, `${JSON.stringify({ made_of: madeOf, folder })}\n`)
    renameSync(staged, buildFile)
  }
  // the build before stays: a service that starts at this moment may be about to read it
  sweep(code === 0 ? ['build.json', folder, before] : ['build.json', before])
  return code
}

function sweep(kept) {
  for (const name of readdirSync(dist))
    if (!kept.includes(name)) rmSync(join(dist, name), { recursive: true, force: true })
}

const apart = 'The service works without it; its / says how to get it.'

function sentenceFor(code) {
  const older = existsSync(buildFile) ? 'The service shows the console as it was built before.' : apart
  return code === noBundler ? older : `The console could not be built (exit ${code}): see above. ${older}`
}

/** Whether every file of the build is there, as long as it was written: after a power cut some may be empty. */
function isCurrent(madeOf) {
  const build = readJson(buildFile)
  if (build?.made_of !== madeOf) return false
  const folder = join(dist, build.folder)
  return readJson(join(folder, 'files.json'))?.every(({ path, bytes, encodings }) =>
    Object.entries({ '': bytes, ...encodings }).every(
      ([ending, length]) => statSync(join(folder, `${path}${ending}`), { throwIfNoEntry: false })?.size === length,
    ),
  )
}

function sourcesHash() {
  const hash = createHash('sha256')
  for (const source of sources)
    for (const file of filesAt(source)) {
      const bytes = readFileSync(join(root, file))
      hash.update(`${file}\0${bytes.length}\0`).update(bytes)
    }
  return hash.digest('hex')
}

/** In an order that is the same everywhere. Tests are not part of a build. */
function filesAt(path) {
  if (statSync(join(root, path)).isFile()) return [path]
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => !/\.test\.tsx?$/.test(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(({ name }) => filesAt(`${path}/${name}`))
}

/** undefined when the file is missing or was cut off. */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The files of the build that counts, as paths below the repository: what the npm package takes. */
export function consoleFiles() {
  const { folder } = readJson(buildFile)
  const inside = readdirSync(join(dist, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  return [buildFile, ...inside].map((file) => file.slice(root.length + 1))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await exitWith(ensureConsole)
