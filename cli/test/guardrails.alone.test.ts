// Guardrails at the command line: set from a file, shown, tried on what happened, listed and restored.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { proves } from '../../server/test/kit/proves.ts'
import { openService, requireFit, type TestedService } from './service.ts'

describe('guardrails at the command line', () => {
  let service: TestedService
  before(async () => {
    service = await openService()
  })
  after(() => service.close())

  const fileWith = async (text: string): Promise<string> => {
    const file = join(service.folder, 'guardrails.json')
    await writeFile(file, text)
    return file
  }

  proves('guardrails.cli', 'rules are set from a file, shown, and restored', async () => {
    const file = await fileWith('{"always_ask": ["browser_*"], "runs_per_day": 500}')
    const made = await service.line(['guardrails', 'set', file, '--comment', 'Careful'])
    assert.deepEqual([made.stdout, made.code], ['Version 1 is live.\n', 0], made.stderr)
    const shown = await service.line(['guardrails', 'show'])
    assert.match(
      shown.stdout,
      /^Version 1, live since .*: Careful\n {2}Always ask +browser_\*\n {2}Runs a day +500\nToday/,
    )
    const json = await service.line(['guardrails', 'show', '--json'])
    requireFit(JSON.parse(json.stdout), 'getGuardrails')
    await fileWith('{}')
    assert.equal((await service.line(['guardrails', 'set', file, '--expect', '1'])).stdout, 'Version 2 is live.\n')
    const back = await service.line(['guardrails', 'rollback', '1'])
    assert.equal(back.stdout, 'Version 3 is live, with the rules of version 1.\n')
    const history = await service.line(['guardrails', 'history', '--json'])
    const versions = history.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { version: number }).version)
    assert.deepEqual(versions, [3, 2, 1])
  })

  proves('guardrails.cli', 'a dry run says what the rules would have stopped', async () => {
    const agentId = await service.agent('Notes', '```memory path=a.md\nkept\n```\n```output\ndone\n```\n')
    await service.sdk.runs.startAndWait({ agent_id: agentId })
    const file = await fileWith('{"always_ask": ["memory_*"]}')
    const { stdout, code, stderr } = await service.line(['guardrails', 'dry-run', file])
    assert.equal(code, 0, stderr)
    assert.match(stdout, /1 runs would have been touched/)
    assert.match(stdout, /always_ask: asks people, 1 times in 1 runs\n {2}run \d+ of Notes step 1 memory_write/)
  })

  proves('guardrails.takenBack', 'an approval is taken back while another person’s is missing', async () => {
    await service.sdk.members.create({ name: 'Second', role: 'operator' })
    const file = await fileWith('{"two_person": ["memory_*"]}')
    assert.equal((await service.line(['guardrails', 'set', file])).code, 0)
    const agentId = await service.agent('Twice', '```memory path=a.md\nkept\n```\n```output\ndone\n```\n')
    const { run_id } = await service.sdk.runs.start({ agent_id: agentId })
    const handle = await untilAsked(run_id)
    const early = await service.line(['inbox', 'withdraw', handle])
    assert.match(early.stderr, /You have not approved this/)
    const first = await service.line(['inbox', 'approve', handle])
    assert.equal(first.stdout, 'approved; one more person must approve\n', first.stderr)
    const back = await service.line(['inbox', 'withdraw', handle])
    assert.equal(back.stdout, 'your approval is taken back; the request is still open\n', back.stderr)
    assert.deepEqual((await service.sdk.humanRequests.get(handle)).human_request.approvals, [])
    await service.sdk.runs.stop(run_id)
  })

  /** The id of what the run asks, once it does. */
  async function untilAsked(runId: string): Promise<string> {
    for (;;) {
      const { pending_human_request: request } = await service.sdk.runs.get(runId)
      if (request) return request.id
    }
  }

  proves('guardrails.cli', 'what cannot be set is refused with every problem', async () => {
    const wrong: [string, number, RegExp][] = [
      ['[]', 64, /must hold a JSON object/],
      ['{', 64, /is not JSON/],
      [
        '{"time_zone": "Mars", "allowed_hosts": ["a b"]}',
        6,
        /allowed_hosts\[0\][\s\S]*time_zone|time_zone[\s\S]*allowed_hosts\[0\]/,
      ],
    ]
    for (const [text, code, says] of wrong) {
      const outcome = await service.line(['guardrails', 'set', await fileWith(text)])
      assert.match(outcome.stderr, says)
      assert.notEqual(outcome.code, 0)
      if (code === 64) assert.equal(outcome.code, code)
    }
    assert.equal((await service.line(['guardrails', 'rollback', 'first'])).code, 64)
  })
})
