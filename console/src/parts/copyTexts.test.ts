// Texts that people paste: what is quoted, and what a flag could not say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, type OperationId } from '../generated/operations.ts'
import { cliText, curlText, sdkText, type CopiedCall } from './copyTexts.ts'

const callOf = (
  operation: OperationId,
  params: Record<string, string>,
  input: Record<string, unknown>,
): CopiedCall => ({
  operation,
  shape: operations[operation],
  params,
  input,
  origin: 'http://127.0.0.1:4700',
  teamId: 'team-1',
})

void test('curl reads the key from the environment, and a quote and a line break stay inside the quotes', () => {
  assert.equal(
    curlText(callOf('startRun', {}, { agent_id: 'a', message: "it's\nhere", max_cost_usd: undefined })),
    [
      `curl -X POST http://127.0.0.1:4700${operations.startRun.path.replace(':teamId', 'team-1')}`,
      '-H "Authorization: Bearer $RUNYARD_API_KEY"',
      "-H 'Content-Type: application/json'",
      `-d '{"agent_id":"a","message":"it'\\''s\\nhere"}'`,
    ].join(' \\\n  '),
  )
})

void test('lists of a query are joined, and what is in a path is escaped', () => {
  const text = curlText(callOf('listRuns', {}, { status: ['failed', 'stopped'], search: 'a b' }))
  assert.match(text, /\?status=failed%2Cstopped&search=a\+b/)
  assert.match(curlText(callOf('getRun', { run_id: '../x y' }, {})), /%2Fx%20y/)
})

void test('a page that was looked at is one page in the SDK, and without a limit all rows come', () => {
  assert.match(
    sdkText(callOf('listRuns', {}, { limit: 25 })),
    /console\.log\(await runyard\.runs\.list\(\{ limit: 25 \}\)\.page\(\)\)$/,
  )
  assert.match(
    sdkText(callOf('listRuns', {}, {})),
    /for await \(const row of runyard\.runs\.list\(\)\) console\.log\(row\)$/,
  )
  const elsewhere = { ...callOf('listRuns', {}, {}), origin: 'https://r.example' }
  assert.match(sdkText(elsewhere), /new Runyard\(\{ baseUrl: 'https:\/\/r\.example' \}\)/)
})

void test('the command line gets what a flag would misread as --input', () => {
  assert.equal(
    cliText(callOf('startRun', {}, { agent_id: 'a', message: '-', title: '@home' })),
    `runyard call startRun --agent-id a --title @@home --input '{"message":"-"}'`,
  )
  assert.match(cliText(callOf('startRun', {}, { agent_id: '-a' })), /--agent-id=-a/)
  assert.match(
    cliText({ ...callOf('getRun', { run_id: 'r' }, {}), origin: 'https://r.example' }),
    /^RUNYARD_URL=https:\/\/r\.example runyard call getRun --run-id r$/,
  )
})
