// Proofs that are test files: the same tests as in `npm test`, with the size and the reaction times that only a quiet machine can show.
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Proof } from './proof.ts'

const pathOf = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url))

interface FileProof {
  name: string
  must: string
  file: string | string[]
  env: Record<string, string>
  /** A line of what the tests print, for the table. */
  telling?: RegExp
}

const proofOf = ({ name, must, file, env, telling }: FileProof): Proof => ({
  name,
  must,
  async run() {
    const { code, out } = await runTests(file, { RUNYARD_QUIET_MACHINE: '1', ...env })
    const count = (word: string) => Number(new RegExp(`^ℹ ${word} (\\d+)`, 'm').exec(out)?.[1] ?? Number.NaN)
    const counts = { passed: count('pass'), failed: count('fail'), skipped: count('skipped') }
    const told = telling?.exec(out)?.[0].replaceAll(/\s+/g, ' ').trim()
    if (code !== 0) console.error(out)
    return { counts: { ...counts, ...(told && { told }) }, holds: code === 0 && counts.passed > 0 }
  },
})

async function runTests(
  file: string | string[],
  env: Record<string, string>,
): Promise<{ code: number | null; out: string }> {
  const setup = `--test-global-setup=${pathOf('test/kit/globalSetup.ts')}`
  const files = [file].flat().map(pathOf)
  const child = spawn(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=spec', setup, ...files], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, out }
}

export const testFileProofs: Proof[] = [
  proofOf({
    name: 'tests that npm test leaves out',
    must: 'every one of them passes',
    file: globSync('../{server,sdk,cli,console}/{src,test}/**/*.long.test.ts', { cwd: pathOf('') }),
    env: {},
  }),
  proofOf({
    name: 'the console: texts of strangers',
    must: 'at least 500 hostile texts, on every screen that shows one; 0 scripts run, 0 requests out',
    file: '../console/test/hostile.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
    telling: /\d+ texts in .* out/,
  }),
  proofOf({
    name: 'the packed SDK',
    must: 'one suite in Node 18, 20, 22, 24 and Chromium; TypeScript 5 and 7; at most 25 KB',
    file: '../sdk/test/packed.long.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
    telling: /[\d.]+ KB/,
  }),
  proofOf({
    name: 'fuzz: requests made from the OpenAPI document',
    must: 'at least 10,000, of each operation 50 with success and 50 refused; 0 with a 5xx, an undocumented status or an answer off its schema',
    file: 'test/fuzz.alone.test.ts',
    env: { RUNYARD_FUZZ_REQUESTS: '10000', RUNYARD_FUZZ_ANSWERS: '50' },
    telling: /all +\d+ +\d+ +\d+/,
  }),
  proofOf({
    name: 'races for the cases of one queue',
    must: '2000 races of people and agents, no case with two holders, none undone',
    file: 'test/caseRaces.alone.test.ts',
    env: { RUNYARD_CASE_RACES: '2000' },
  }),
  proofOf({
    name: 'calls of tools by two teams at the same time',
    must: '2000 calls, 0 answers that reach the other team',
    file: 'test/mcpInterleaved.long.test.ts',
    env: { RUNYARD_MCP_CALLS: '2000' },
    telling: /\d+ calls, \d+ crossed/,
  }),
  proofOf({
    name: 'a page that wants to get where it must not',
    must: 'every way of a page to every forbidden address, 0 connections',
    file: 'src/drivers/browser/chromiumDriver.alone.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'the same in a browser of the operator',
    must: 'every way of a page to every forbidden address, 0 requests',
    file: 'src/drivers/browser/cdpDriver.long.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'the embedded PostgreSQL under root',
    must: 'no cluster in a place that others could have made, and every server runs as an ordinary user',
    file: 'src/base/embeddedPostgres.alone.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'pages that are printed',
    must: 'a page that leads to another address by any name stays, 0 connections',
    file: 'src/drivers/browser/printer.alone.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'hostile pages of artifacts',
    must: 'every payload in a frame and in a window of real Chromium, 0 get through',
    file: 'test/hostilePages.alone.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
    telling: /\d+ of \d+ payloads act/,
  }),
  proofOf({
    name: 'signatures of deliveries',
    must: '10,000 random deliveries verify by both families, 0 with a flipped byte',
    file: 'src/features/webhooks/signature.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'changes of evidence bundles',
    must: '1,000 random changes of one byte, each found and located by the command and by 60 lines of Python; rows removed, moved and repeated too',
    file: ['src/base/evidence/verifyBundle.test.ts', 'src/base/evidence/verifyScript.alone.test.ts'],
    env: {},
    telling: /\d+ changes of one byte .*/,
  }),
  proofOf({
    name: 'arguments of tools',
    must: 'every wrong type of argument to every tool, 0 failures of the service',
    file: 'src/features/mcp/tools.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'hostile values in scripts',
    must: '10,000 random values each arrive unchanged in the real bash, python and node',
    file: 'src/drivers/model/runbook/render.alone.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'hostile paths',
    must: 'every hostile path the same 404 to every file route, nothing read, nothing changed',
    file: 'test/fileRoutes.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'builder runs that die at a statement',
    must: 'a death before and after every statement, each ends the same way',
    file: 'src/features/agents/builder/builderDeaths.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
    telling: /\d+ deaths/,
  }),
  proofOf({
    name: 'lists of cases',
    must: 'every filter in every order, and every pair of filters, exactly what fits',
    file: 'src/features/queues/lists/caseLists.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'counts of cases',
    must: 'exact at every moment while twenty write 25 times each and others fold',
    file: 'src/features/queues/lists/caseCounts.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'hostile values in pages',
    must: '500 values in each place of a template, the page keeps its elements and attributes',
    file: 'src/base/page/hostileValues.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'patterns of tenants',
    must: '2000 random patterns match exactly where the built-in engine says so',
    file: 'src/base/pattern/linearPattern.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'a large backup and its restore',
    must: '70 MB of rows pass in bounded memory, there and back',
    file: 'src/base/backup/backup.alone.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
    telling: /RSS grew by .*/,
  }),
  proofOf({
    name: 'escapes: what code tries from inside a sandbox',
    must: '0 through, each cut off within 5 s, the service never stands still for half a second',
    file: 'src/drivers/sandbox/escapes.alone.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
  proofOf({
    name: 'the npm package, installed by npm into an empty folder',
    must: 'it starts, answers, runs a command in a sandbox and stops',
    file: 'test/packed.long.test.ts',
    env: { RUNYARD_LONG_TESTS: '1' },
  }),
]
