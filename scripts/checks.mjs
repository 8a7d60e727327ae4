// The checks that need no running service: types, lint, format, API description.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'
import { runNode } from './run.mjs'

/** What has not changed since the last time is not looked at again (measured: 2 s of work instead of 21). */
const types = (name, settings, cache) => ({
  name,
  program: ['typescript', 'tsc'],
  words: ['-p', settings, '--incremental', '--tsBuildInfoFile', `node_modules/.cache/${cache}.json`],
  oneThread: ['--checkers', '1'],
})

const steps = [
  types('types', 'tsconfig.json', 'runyard-types'),
  types('types of the console', 'console/tsconfig.json', 'runyard-console-types'),
  types('types of the console in Node', 'console/tsconfig.node.json', 'runyard-console-node-types'),
  { name: 'lint', program: ['oxlint', 'oxlint'], words: ['--deny-warnings'] },
  { name: 'format', program: ['oxfmt', 'oxfmt'], words: ['--check'] },
  {
    name: 'API description',
    program: ['@stoplight/spectral-cli', 'spectral'],
    words: ['lint', 'server/openapi.json', '--ruleset', '.spectral.yaml', '--fail-severity', 'warn'],
    needs: ['server/openapi.json', '.spectral.yaml'],
  },
]

/**
 * The compiler and the linter are Go programs, which collect garbage most of the time. Beside the tests they also get one thread: more of
 * them check the same types several times (measured together: 55 s of processor time, 31 with less collecting and one thread).
 */
const goSettings = (isBeside) => ({ GOGC: '400', ...(isBeside && { GOMAXPROCS: '1' }) })

/** Stops at the first failure; resolves to its exit code and name, or 0. `isBeside`: what each says is printed in one piece, between the lines of others. */
export async function runChecks({ isBeside = false } = {}) {
  for (const { name, program, words, oneThread = [], needs = [] } of steps) {
    const missing = needs.find((file) => !existsSync(join(root, file)))
    if (missing) {
      console.log(`▸ ${name}: skipped, there is no ${missing}`)
      continue
    }
    const title = `▸ ${name}: ${[program[1], ...words].join(' ')}`
    if (!isBeside) console.log(title)
    let said = ''
    const hear = isBeside ? (text) => (said += text) : undefined
    const code = await runNode([programFile(...program), ...words, ...(isBeside ? oneThread : [])], {
      hear,
      env: goSettings(isBeside),
    })
    if (isBeside) console.log(`${title}\n${said}`.trimEnd())
    if (code !== 0) {
      console.error(`${name} failed (exit ${code})`)
      return { code, failed: name }
    }
  }
  return { code: 0 }
}

/** The file itself and not node_modules/.bin, which holds no JavaScript on Windows. */
function programFile(name, command) {
  const folder = join(root, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[command])
}
