// Any operation and any request from the command line.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { proves } from '../../server/test/kit/proves.ts'
import { seedArtifact } from '../../server/test/kit/artifactSeeds.ts'
import { linesOf, openBench, printed } from './lines.ts'

const { folder, team, runyard } = await openBench()

proves('cli.call', 'every operation is a command with its fields as flags', async () => {
  const operations = linesOf(await printed(runyard('call', '--json'))).map((line) => JSON.parse(line) as { id: string })
  assert.ok(operations.some(({ id }) => id === 'startRun'))
  const help = await printed(runyard('call', 'startRun', '--help'))
  assert.match(help, /--agent-id TEXT +\(required\) The agent to run\./)
  assert.match(help, /--message TEXT\|JSON/)

  const procedure = join(folder, 'procedure.md')
  await writeFile(procedure, '```output\ndone\n```\n')
  const made = JSON.parse(
    await printed(runyard('call', 'createAgent', '--name', 'Called', '--instructions', `@${procedure}`)),
  ) as { agent_id: string; build: { config: { data: { input: string } } } }
  assert.equal(made.build.config.data.input, '```output\ndone\n```\n')
  const start = ['call', 'startRun', '--agent-id', made.agent_id]
  const { run_id } = JSON.parse(await printed(runyard(...start, '--message', 'now', '--metadata', '{"a":1}'))) as {
    run_id: string
  }
  const { run } = JSON.parse(await printed(runyard('call', 'getRun', '--run-id', run_id))) as {
    run: { metadata: object; message: unknown }
  }
  assert.deepEqual(run.metadata, { a: 1 })

  for (let index = 0; index < 3; index += 1) await printed(runyard('call', 'createQueue', '--name', `Queue ${index}`))
  assert.equal(linesOf(await printed(runyard('call', 'listQueues', '--limit', '2', '--all'))).length, 3)
  const page = JSON.parse(await printed(runyard('call', 'listQueues', '--limit', '2'))) as { queues: []; total: number }
  assert.deepEqual([page.queues.length, page.total], [2, 3])
  // its url is the field of the operation, not the service
  const hook = await printed(
    runyard('call', 'createWebhook', '--url', 'http://127.0.0.1:1/x', '--events', '["run.completed"]'),
  )
  assert.match(hook, /127\.0\.0\.1:1\/x/)
})

proves('cli.call', 'wrong flags and values are refused with what the operation takes', async () => {
  const refused = async (says: RegExp, ...words: string[]) => {
    const { code, stdout, stderr } = await runyard('call', ...words)
    assert.deepEqual([code, stdout, linesOf(stderr).length], [64, '', 1], stderr)
    assert.match(stderr, says)
  }
  await refused(/There is no operation "startRuns".*Did you mean startRun/, 'startRuns')
  await refused(/--agent-id must be given/, 'startRun')
  await refused(/Unknown option '--agnt'.*--agent-id TEXT/, 'startRun', '--agnt', 'x')
  await refused(/--metadata must be JSON/, 'startRun', '--agent-id', 'x', '--metadata', '{')
  await refused(/--limit must be a number/, 'listQueues', '--limit', 'many')
  await refused(/--enabled must be true or false/, 'createAgentCaseTrigger', '--agent-id', 'x', '--enabled', 'maybe')
  const { code, stderr } = await runyard('call', 'getRun', '--run-id', 'nothing')
  assert.deepEqual([code, linesOf(stderr).length], [1, 1])
})

proves('cli.call', 'an answer that is a file goes to --out, or to stdout in a pipe', async () => {
  const artifactId = await seedArtifact(team)
  const file = join(folder, 'page.html')
  assert.equal(await printed(runyard('call', 'exportArtifactHtml', '--artifact-id', artifactId, '--out', file)), '')
  const { bytes } = await runyard('call', 'exportArtifactHtml', '--artifact-id', artifactId)
  assert.deepEqual(await readFile(file), bytes)
  assert.match(bytes.toString(), /<!doctype html>/i)
})

proves('cli.api', 'any request can be sent with the credential', async () => {
  const made = await printed(
    runyard('api', 'POST', '/v2/teams/{team}/queues', '-f', 'name=By hand', '-F', 'concurrency=3'),
  )
  const { queue } = JSON.parse(made) as { queue: { name: string; concurrency: number } }
  assert.deepEqual([queue.name, queue.concurrency], ['By hand', 3])
  const found = await printed(runyard('api', 'get', '/v2/teams/{team}/queues', '-f', 'search=hand', '-H', 'x-y: z'))
  assert.equal((JSON.parse(found) as { total: number }).total, 1)
  const refused = await runyard('api', 'POST', '/v2/teams/{team}/queues', '--input', '{"name":""}')
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.equal((await runyard('api', 'FETCH', '/v2/teams')).code, 64)
  assert.equal((await runyard('api', 'GET', 'v2/teams')).code, 64)
})
