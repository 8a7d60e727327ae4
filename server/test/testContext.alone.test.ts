// scripts/testContext.mjs: the test runner finds the test that something belongs to, without hearing of every promise.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { proves } from './kit/proves.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Suites that continue later, tests below tests, hooks, and failures that come to nobody: each in the way that asks for its test late. */
const sample = `
import { createHook } from 'node:async_hooks'
import { createServer, get } from 'node:http'
import { after, before, describe, test } from 'node:test'
const later = (work) => new Promise((resolve) => setTimeout(() => resolve(work?.()), 5))
const server = createServer((request, response) => response.end('hello'))
describe('a suite that continues later', async () => {
  await later()
  before(() => later(() => server.listen(0)))
  after(() => later(() => server.close()))
  describe('a suite below it', async () => {
    await import('node:zlib')
    test('has tests', async (t) => {
      await later()
      await t.test('with tests', () => later())
    })
  })
  const failing = (begin) => new Promise((resolve) => begin((text) => { setImmediate(resolve); throw new Error(text) }))
  test('fails by a timer', () => failing((fail) => setTimeout(fail, 1, 'thrown late')))
  test('fails by a promise that nobody waits for', () => failing((fail) => void Promise.resolve('rejected').then(fail)))
  test('fails by what an answer calls', () =>
    failing((fail) => get({ port: server.address().port, agent: false }, () => fail('thrown by a socket'))))
  test('passes after them', () => later())
})
test('a hook of a test still hears of promises', async () => {
  let heard = 0
  const hook = createHook({ init: (id, type) => (heard += type === 'PROMISE' ? 1 : 0) }).enable()
  await later()
  hook.disable()
  if (heard === 0) throw new Error('nothing heard')
})
`

/** What was reported of each test, without times, and where each error was raised. */
function reported(words: string[], folder: string): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>()
  const all = [...words, '--test', '--test-reporter=tap', join(folder, 'sample.test.mjs')]
  execFile(process.execPath, all, { cwd: root, env: { PATH: process.env['PATH'] } }, (_failed, stdout) => {
    resolve(stdout.split('\n').filter((line) => /^ *(?:not ok|ok|error:|failureType:|# (?:pass|fail))/.test(line)))
  })
  return promise
}

proves('tests.context', 'a test that fails late fails by its own name, as without it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-context-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'sample.test.mjs'), sample)
  const [without, within] = await Promise.all([
    reported([], folder),
    reported(['--import=./scripts/testContext.mjs'], folder),
  ])
  assert.deepEqual(within, without)
  assert.equal(within.filter((line) => /^ *not ok .* fails by/.test(line)).length, 3, within.join('\n'))
})

proves('tests.context', 'the test runner asks for no hook of its own, and so hears of no promise', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-context-'))
  t.after(() => rm(folder, { recursive: true }))
  const asks = `
    import hooks from 'node:async_hooks'
    const { createHook } = hooks
    hooks.createHook = (...given) => (console.log('# asked for a hook'), createHook(...given))
    await import(${JSON.stringify(new URL('../../scripts/testContext.mjs', import.meta.url).href)})`
  await writeFile(join(folder, 'asks.mjs'), asks)
  await writeFile(
    join(folder, 'sample.test.mjs'),
    `import { test } from 'node:test'\ntest('one', async () => undefined)\n`,
  )
  const { promise, resolve } = Promise.withResolvers<string>()
  const words = [`--import=${new URL(`file://${folder}/asks.mjs`).href}`, join(folder, 'sample.test.mjs')]
  execFile(process.execPath, words, { env: { PATH: process.env['PATH'] } }, (_failed, stdout) => resolve(stdout))
  const said = await promise
  assert.match(said, /one/)
  assert.doesNotMatch(said, /asked for a hook/)
})
