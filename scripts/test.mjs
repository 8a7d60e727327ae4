// npm test: the checks beside every test; with files named (npm test -- FILE…), only those tests. `--long`: tests that have a long form take it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './checks.mjs'
import { ensureInstalled, root } from './install.mjs'
import { exitWith, runNode } from './run.mjs'
import { inTestBundle } from './inTestBundle.mjs'
import { inTestFolder } from './testFolder.mjs'
import { longTestFiles, withTestGroups } from './testGroups.mjs'

/** Starts one PostgreSQL for the whole run, before the first file. */
const setup = 'server/test/kit/globalSetup.ts'

// Some 250 processes of a run load the whole service, and looking for links on the way to each file is an eighth of that (measured: 0.12 s).
process.env.NODE_PRESERVE_SYMLINKS = '1'

await exitWith(async () => {
  await ensureInstalled({ dev: true })
  const named = process.argv.slice(2).filter((word) => word !== '--long')
  const isLong = process.argv.includes('--long')
  if (isLong) process.env.RUNYARD_LONG_TESTS = '1'
  // Node passes over a name without a file in silence when another one is there
  const missing = named.filter((name) => !/^-|[*?[{]/.test(name) && !existsSync(join(root, name)))
  if (missing.length > 0) throw new Error(`no such test: ${missing.join(', ')}`)
  // Five at a time for two cores: many tests wait for something. A test that hangs fails with its name instead of holding everything up.
  // Stories of the long form keep both cores busy by themselves, and one of them looks at every screen in both themes.
  const limits = isLong
    ? ['--test-concurrency=2', '--test-timeout=1200000']
    : ['--test-concurrency=5', '--test-timeout=300000']
  // Tests make much that is soon garbage: with more room for what is new it is collected less often (measured: 7 % less work in a process).
  const options = [
    '--max-semi-space-size=64',
    '--test',
    ...limits,
    '--test-reporter=spec',
    `--test-global-setup=${setup}`,
  ]
  // the sources of the console call the SDK by its name; a bundle has it inside
  const fromSources = ['--import=./scripts/sdkSources.mjs']
  if (named.some((name) => name.startsWith('console/src/'))) options.push(...fromSources)
  if (named.length > 0) return inTestFolder(() => runNode([...options, ...named]))
  const [checks, tests] = await Promise.all([
    runChecks({ isBeside: true }),
    inTestFolder(() =>
      inTestBundle([], (bundle) =>
        withTestGroups(bundle, (files) => runNode([...options, ...(bundle ? [] : fromSources), ...files])),
      ),
    ),
  ])
  console.log(`Left to npm run survive: ${longTestFiles().length} files of tests (*.long.test.ts)`)
  if (checks.code !== 0) console.error(`${checks.failed} failed (exit ${checks.code}): see above`)
  return checks.code || tests
})
