// The files of runs over HTTP: by agent and run, and by the run alone.
import assert from 'node:assert/strict'
import { drainRuns, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { runWithFile, seeders, seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const { sql } = service.context.db

proves('files.run', 'the files that a run wrote are read by agent and run, and by the run alone', async () => {
  const written = JSON.stringify({ path: 'out/report.md', content: '# Report' })
  const procedure = `\`\`\`tool name=sandbox_write_file\n${written}\n\`\`\`\n`
  const agentId = await seedAgent(team, procedure, { plugins: ['sandbox'] })
  const runId = await startRun(team, agentId)
  await drainRuns(service)
  for (const start of [`/v2/agents/${agentId}/runs/${runId}`, `/v2/runs/${runId}`]) {
    const { body: root } = await team.call(`GET ${start}/sandbox/files`)
    assert.deepEqual(
      root.files.map(({ name, type }: { name: string; type: string }) => [name, type]),
      [['out', 'dir']],
    )
    const { body } = await team.call(`GET ${start}/sandbox/files/content?path=out/report.md`)
    assert.deepEqual([body.path, body.content], ['/workspace/out/report.md', '# Report'])
  }
})

proves('files.run', 'a run that wrote nothing has an empty workspace, and no folder in it', async () => {
  const runId = await seeders['run']!(team, {})
  const { status, body } = await team.call(`GET /v2/runs/${runId}/sandbox/files`)
  assert.deepEqual([status, body], [200, { files: [], path: '/workspace' }])
  assert.equal((await team.call(`GET /v2/runs/${runId}/sandbox/files?path=out`)).status, 404)
  assert.equal((await team.call(`GET /v2/runs/${runId}/sandbox/files/content?path=out`)).status, 404)
})

const write = (path: string) =>
  `\`\`\`tool name=sandbox_write_file\n${JSON.stringify({ path, content: path })}\n\`\`\`\n`

proves(
  'files.runOnly',
  'without a path the only file of a run is given, and otherwise a 400 lists what could be asked for',
  async () => {
    const ask = async (paths: string[]) => {
      const agentId = await seedAgent(team, paths.map(write).join('\n') || 'Nothing.', { plugins: ['sandbox'] })
      const runId = await startRun(team, agentId)
      await drainRuns(service)
      const answers = []
      for (const start of [`/v2/agents/${agentId}/runs/${runId}`, `/v2/runs/${runId}`]) {
        answers.push(await team.call(`GET ${start}/sandbox/files/content`))
      }
      assert.equal(answers[0]!.text.replace(/"download_url".*/, ''), answers[1]!.text.replace(/"download_url".*/, ''))
      return answers[0]!
    }
    const one = await ask(['out/report.md'])
    assert.deepEqual([one.status, one.body.path, one.body.content], [200, '/workspace/out/report.md', 'out/report.md'])
    const two = await ask(['out/report.md', 'a.txt'])
    assert.deepEqual([two.status, two.body.error], [400, 'invalid_request'])
    assert.match(two.body.message, /path.*\/workspace\/a\.txt, \/workspace\/out\/report\.md\.$/)
    const none = await ask([])
    assert.equal(none.status, 400)
    assert.match(none.body.message, /no files/)
    const { paths } = (await service.call('GET /openapi.json')).body
    for (const start of ['/v2/agents/{agent_id}/runs/{run_id}', '/v2/runs/{run_id}']) {
      const { parameters } = paths[`${start}/sandbox/files/content`].get
      assert.equal(parameters.find(({ name }: { name: string }) => name === 'path').required, false)
    }
  },
)

proves('files.run', 'a run of another agent is not found below this one', async () => {
  const runId = await runWithFile(team, {})
  const other = await seeders['agent']!(team, {})
  for (const rest of ['', '/content?path=out/report.md']) {
    assert.equal((await team.call(`GET /v2/agents/${other}/runs/${runId}/sandbox/files${rest}`)).status, 404)
    assert.equal((await team.call(`GET /v2/runs/${runId}/sandbox/files${rest}`)).status, 200)
  }
})

proves(
  'files.run',
  'a run that was given a sandbox has the files of that one, also when a later run has it',
  async () => {
    const sandboxId = await seeders['sandbox']!(team, {})
    const runId = await seeders['run']!(team, {})
    await sql`update runs set sandbox_id = ${sandboxId} where id = ${runId} and team_id = ${team.id}`
    const later = await seeders['run']!(team, {})
    await sql`update sandboxes set run_id = ${later} where id = ${sandboxId} and team_id = ${team.id}`
    const { body } = await team.call(`GET /v2/runs/${runId}/sandbox/files/content?path=out/report.md`)
    assert.equal(body.content, '# Report')
    await team.call(`DELETE /v2/sandboxes/${sandboxId}`)
    assert.deepEqual((await team.call(`GET /v2/runs/${runId}/sandbox/files`)).body.files, [])
  },
)
