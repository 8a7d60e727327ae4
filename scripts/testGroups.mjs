// What npm test runs, in which order: each entry is a process. Test files that need none of their own share one.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './install.mjs'

/** Loading the service takes most of the time of a small file, so this many load it once: neighbours by name. All are set up at once. */
const filesEach = 20

/** The long ones begin first, or the last of them would run when nobody else has anything left to do. */
const first = [
  'server/test/fuzz.alone.test.ts',
  'server/test/start.alone.test.ts',
  'server/src/base/embeddedPostgres.alone.test.ts',
  'cli/test/machine.alone.test.ts',
  'server/src/drivers/browser/chromiumDriver.alone.test.ts',
  'server/src/base/backup/restore.alone.test.ts',
  'server/src/base/backup/backup.alone.test.ts',
  'server/src/drivers/sandbox/contract.alone.test.ts',
  'server/src/drivers/sandbox/escapes.alone.test.ts',
  'server/test/survival/runs.test.ts',
  'server/test/survival/deliveries.test.ts',
  'server/test/everyOperation.test.ts',
]

/** The exit code of testBundle.mjs where its library has no program for the platform. */
export const noBundler = 3

/** The name of a test or program in the bundle that testBundle.mjs makes. */
export const bundledName = (file) => file.replace(/\.ts$/, '.mjs')

/**
 * `bundle` is the folder that has the tests, undefined: their sources are run.
 *
 * Hands one file for each process to `run`, which gives them to Node's test runner: that takes them in the order of their names. Node
 * passes by in silence what it does not take for a test, so each leaves a mark when its files are loaded, and one without it is a failure.
 */
export async function withTestGroups(bundle, run) {
  // outside of the project: below node_modules Node looks for no tests
  const place = mkdtempSync(join(tmpdir(), 'runyard-test-groups-'))
  try {
    const groups = groupsOf(testFiles()).map((files, index) => {
      const group = join(place, `${String(index + 1).padStart(3, '0')}.test.mjs`)
      writeFileSync(group, textOf(files, group, bundle))
      return group
    })
    const code = await run(groups)
    const passedBy = groups.filter((group) => !existsSync(markOf(group)))
    for (const group of passedBy) console.error(`not run:\n${readFileSync(group, 'utf8')}`)
    return passedBy.length > 0 ? code || 1 : code
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** The name says it. They start many processes, and `npm run survive` runs them. */
const isOnlyInLongForm = (file) => file.endsWith('.long.test.ts')

/** Those of npm test. */
export const testFiles = () => allTestFiles().filter((file) => !isOnlyInLongForm(file))

export const longTestFiles = () => allTestFiles().filter(isOnlyInLongForm)

const allTestFiles = () =>
  ['server/src', 'server/test', 'sdk/test', 'cli/src', 'cli/test', 'console/src', 'console/test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.test.ts'))
    .sort((one, other) => (one < other ? -1 : 1))

/** The name says it, and server/test/architecture.test.ts checks the names. */
const isAlone = (file) => file.startsWith('server/test/survival/') || file.endsWith('.alone.test.ts')

/** They share one service and one browser, so all of them are in one process. */
const isStory = (file) => file.startsWith('console/test/') && !isAlone(file)

/** Those of `first`, then the stories of the console, then the groups, then what is alone. */
function groupsOf(files) {
  const unknown = first.filter((file) => !files.includes(file))
  if (unknown.length > 0)
    throw new Error(`scripts/testGroups.mjs names tests that are not there: ${unknown.join(', ')}`)
  const rest = files.filter((file) => !first.includes(file))
  const together = rest.filter((file) => !isAlone(file) && !isStory(file))
  const groups = Array.from({ length: Math.ceil(together.length / filesEach) }, (_, index) =>
    together.slice(index * filesEach, (index + 1) * filesEach),
  )
  return [
    ...first.map((file) => [file]),
    files.filter(isStory),
    ...groups,
    ...rest.filter(isAlone).map((file) => [file]),
  ]
}

const markOf = (group) => `${group}.ran`

/** A suite a file: its hooks are around its own tests, and what it set up goes when they are done. One that is alone needs none. */
function textOf(files, group, bundle) {
  const suites = files.map((file) => {
    const load = `await import(${JSON.stringify(pathToFileURL(bundle ? join(bundle, bundledName(file)) : join(root, file)).href)})\nloaded += 1\n`
    return files.length === 1 ? load : `describe(${JSON.stringify(file)}, async () => {\n${load}})\n`
  })
  return [
    "import { writeFileSync } from 'node:fs'\nimport { after, describe } from 'node:test'\n",
    `import { endInTime } from ${JSON.stringify(pathToFileURL(join(root, 'scripts', 'endInTime.mjs')).href)}\n`,
    `endInTime(${JSON.stringify(files)})\nlet loaded = 0\n`,
    ...suites,
    `after(() => loaded === ${files.length} && writeFileSync(${JSON.stringify(markOf(group))}, ''))\n`,
  ].join('')
}
