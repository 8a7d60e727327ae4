// Runs and callers whose commands run on sandbox hosts: their files are saved as ever, and a killed host is a result of the command.
import assert from 'node:assert/strict'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '../../../base/isAlive.ts'
import { sandbox as sandboxCheck } from '../../../cli/checks/sandbox.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { sandboxToken, startSandboxHost, type SandboxHost } from '../../../../test/kit/sandboxHosts.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'

const hosts = [await startSandboxHost(), await startSandboxHost()]
after(() => Promise.all(hosts.map((host) => host.stop())))
const service = await testApp({ config: { sandboxUrls: hosts.map(({ url }) => url), sandboxToken } })
const team = await seedTeam(service)
const block = (words: string, body: string) => `\`\`\`${words}\n${body}\n\`\`\`\n\n`

proves(
  'sandbox.remote.runs',
  'commands of runs and callers run on a sandbox host, and their files are saved',
  async () => {
    const procedure =
      block('bash', 'mkdir out && echo one > out/a.txt && ln -s out/a.txt link') +
      block('bash id=last', 'cat link >> out/b.txt; rm link; cat out/b.txt') +
      block('output', '{{ steps.last.output.stdout }}')
    const runId = await startRun(team, await seedAgent(team, procedure))
    await drainRuns(service)
    const { status, output } = await readRun(team, runId)
    assert.deepEqual([status, output], ['completed', 'one\n'])
    const { body } = await team.call(`GET /v2/runs/${runId}/sandbox/files?path=out`)
    assert.deepEqual(
      body.files.map(({ path }: { path: string }) => path),
      ['/workspace/out/a.txt', '/workspace/out/b.txt'],
    )
    assert.match(hosts.map((host) => host.said()).join(''), /the worker closed it/)
  },
)

proves(
  'sandbox.remote.hostKilled',
  'a run whose sandbox host is killed during a command gets one result for it, and continues on another host',
  async () => {
    const procedure =
      block('bash', 'echo before > file') +
      block('bash id=dies on_error=continue', 'echo during > file; echo > begun; sleep 600') +
      block('bash id=later', 'cat file') +
      block('output', '{{ steps.later.output.stdout }}{{ steps.dies.error }}')
    const runId = await startRun(team, await seedAgent(team, procedure))
    const drained = drainRuns(service)
    let found: SandboxHost | undefined
    for (; !found; await pause(10)) for (const host of hosts) if (await hasBegun(host)) found = host
    found.signal('SIGKILL')
    await drained
    const { status, output } = await readRun(team, runId)
    assert.equal(status, 'completed')
    assert.match(String(output), /^before\n[^]*The shell died while it ran this/)
    const ended = (await readEvents(service, runId)).filter(({ event }) => event === 'run.tool_call.completed')
    assert.equal(ended.length, 3)
  },
)

proves('sandbox.remote.runs', 'doctor says which sandbox hosts answer, with their version', async () => {
  const alive = hosts.find(({ pid }) => isAlive(pid))
  const good = await look([alive!.url])
  assert.equal(good.state, 'ok')
  assert.match(good.says, /answers: Runyard \d\S*, (bubblewrap|just_bash), 8 of 8 slots free$/)
  const bad = await look([alive!.url, 'http://127.0.0.1:9'])
  assert.equal(bad.state, 'problem')
  assert.match(bad.says, /http:\/\/127\.0\.0\.1:9 does not answer/)
})

const look = (sandboxUrls: string[]) =>
  sandboxCheck.run({
    config: { ...service.context.config, sandboxUrls },
    env: {},
    database: undefined,
    databaseFailure: undefined,
  })

async function hasBegun(host: SandboxHost): Promise<boolean> {
  const looks = (await host.workspaces()).map((folder) => access(join(folder, 'begun')))
  return (await Promise.allSettled(looks)).some(({ status }) => status === 'fulfilled')
}
