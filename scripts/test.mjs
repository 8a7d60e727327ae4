// npm test: the checks beside every test; with files named (npm test -- FILE…), only those tests.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './checks.mjs'
import { ensureInstalled, root } from './install.mjs'
import { exitWith, runNode } from './run.mjs'
import { inTestFolder } from './testFolder.mjs'
import { withTestGroups } from './testGroups.mjs'

/** Starts one PostgreSQL for the whole run, before the first file. */
const setup = 'server/test/kit/globalSetup.ts'

// Some 250 processes of a run load the whole service, and looking for links on the way to each file is an eighth of that (measured: 0.12 s).
process.env.NODE_PRESERVE_SYMLINKS = '1'

await exitWith(async () => {
  await ensureInstalled({ dev: true })
  const named = process.argv.slice(2)
  // Node passes over a name without a file in silence when another one is there
  const missing = named.filter((name) => !/^-|[*?[{]/.test(name) && !existsSync(join(root, name)))
  if (missing.length > 0) throw new Error(`no such test: ${missing.join(', ')}`)
  // Three at a time for two cores: many tests wait for something. A test that hangs fails with its name instead of holding everything up.
  const limits = ['--test-concurrency=3', '--test-timeout=300000']
  const options = ['--test', ...limits, '--test-reporter=spec', `--test-global-setup=${setup}`]
  if (named.length > 0) return inTestFolder(() => runNode([...options, ...named]))
  const [checks, tests] = await Promise.all([
    runChecks({ isBeside: true }),
    inTestFolder(() => withTestGroups((files) => runNode([...options, ...files]))),
  ])
  if (checks.code !== 0) console.error(`${checks.failed} failed (exit ${checks.code}): see above`)
  return checks.code || tests
})
