// npm test: the checks, then every test; with files named (npm test -- FILE…), only those.
import { runChecks } from './checks.mjs'
import { ensureInstalled } from './install.mjs'
import { exitWith, runNode } from './run.mjs'
import { withTestGroups } from './testGroups.mjs'

/** The long survival proofs (server/test/survival/long) are `npm run survive`. */
const wholeService = 'server/test/{,!(survival)/**/,survival/,survival/!(long)/**/}*.test.ts'

/** Starts one PostgreSQL for the whole run, before the first file. */
const setup = 'server/test/kit/globalSetup.ts'

await exitWith(async () => {
  await ensureInstalled({ dev: true })
  const named = process.argv.slice(2)
  if (named.length === 0) {
    const code = await runChecks()
    if (code !== 0) return code
  }
  // a test that hangs fails with its name instead of holding everything up; the slowest file takes two minutes
  const limits = ['--test-concurrency=2', '--test-timeout=300000']
  const options = ['--test', ...limits, '--test-reporter=spec', `--test-global-setup=${setup}`]
  if (named.length > 0) return runNode([...options, ...named])
  return withTestGroups('server/src', (files) => runNode([...options, wholeService, ...files]))
})
