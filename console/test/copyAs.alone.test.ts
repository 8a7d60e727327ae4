// What "Copy as" gives is pasted into a real shell, against a real service.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openService, type TestedService } from '../../cli/test/service.ts'
import { programFile } from '../../server/test/kit/programFile.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { operations, type OperationId } from '../src/generated/operations.ts'
import { cliText, curlText, type CopiedCall } from '../src/parts/copyTexts.ts'

const program = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))
/** Everything that a shell or curl could take for something else. */
const awkward = `it's "here"\n$HOME \`id\` \\n !1 & ; 100% {a} [b] @file -x é`

let service: TestedService
let teamId: string
let agentId: string
before(async () => {
  service = await openService()
  teamId = (await service.sdk.teams.get()).team.id
  agentId = await service.agent('Copied', '```output\n{"read": {{ message }}}\n```')
})
after(() => service.close())

const callOf = (
  operation: OperationId,
  params: Record<string, string>,
  input: Record<string, unknown>,
): CopiedCall => ({
  operation,
  shape: operations[operation],
  params,
  input,
  origin: service.env['RUNYARD_URL'] ?? '',
  teamId,
})

/** The JSON that a pasted text prints. */
async function pasted(text: string): Promise<Record<string, unknown>> {
  const script = `runyard() { '${process.execPath}' '${programFile(program)}' "$@"; }\n${text}`
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: service.env })
  return JSON.parse(stdout) as Record<string, unknown>
}

const forms = { curl: curlText, CLI: cliText }

for (const [form, textOf] of Object.entries(forms)) {
  proves('console.copyAs', `a call that was copied as ${form} does in a shell what the page would do`, async () => {
    const started = await pasted(
      textOf(callOf('startRun', {}, { agent_id: agentId, message: awkward, title: '@home' })),
    )
    const runId = String(started['run_id'])
    const run = await service.sdk.runs.wait(runId)
    assert.deepEqual([run.title, run.output], ['@home', { read: awkward }])

    const path = `notes/it's ${form} & more.md`
    const content = `- ${awkward}`
    await pasted(
      textOf(callOf('putAgentMemoryFile', { agent_id: agentId, path }, { content, expected_generation: undefined })),
    )
    const kept = await service.sdk.memory.get(agentId, path)
    assert.equal(kept.content, content)

    const listed = callOf(
      'listRuns',
      {},
      { status: ['completed', 'failed'], agent_id: agentId, limit: 1, search: "it's" },
    )
    const found = await pasted(textOf(listed))
    const expected = await service.sdk.runs.list(listed.input).page()
    assert.equal(found['total'], expected.total)
    assert.ok(expected.total > 0)
  })
}

proves('console.copyAs', 'no key is in a text that was copied', () => {
  for (const textOf of Object.values(forms)) {
    const text = textOf(callOf('startRun', {}, { agent_id: agentId }))
    assert.ok(!text.includes(service.env['RUNYARD_API_KEY'] ?? 'no key'))
  }
  assert.match(curlText(callOf('startRun', {}, {})), /"Authorization: Bearer \$RUNYARD_API_KEY"/)
})
