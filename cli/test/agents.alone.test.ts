// Agents as files: from one team to another, and back.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { proves } from '../../server/test/kit/proves.ts'
import { seedTeam, type TestTeam } from '../../server/test/kit/seed.ts'
import { linesOf, openBench, printed } from './lines.ts'

const { app, folder, team, runyard, as } = await openBench()

interface Config {
  data: { subAgents?: string[] }
}

const configsOf = async (of: TestTeam): Promise<Record<string, Config>> => {
  const { body } = await of.call('GET /v2/teams/:teamId/agents')
  const agents = body.agents as { name: string; latest_build: { config: Config } }[]
  return Object.fromEntries(agents.map(({ name, latest_build }) => [name, latest_build.config]))
}

const withoutIds = (configs: Record<string, Config>) =>
  JSON.stringify(configs, (key, value: unknown) => (key === 'subAgents' ? ['one'] : value))

const refused = async (code: number, says: RegExp, ...words: string[]) => {
  const outcome = await runyard('agents', ...words)
  assert.deepEqual([outcome.code, outcome.stdout], [code, ''], outcome.stderr)
  assert.match(outcome.stderr, says)
}

proves('cli.agents', 'agents go to files and to a second team, byte for byte', async () => {
  const create = async (name: string, data: object): Promise<string> => {
    const body = { name, build: { config: { version: 'v2', data } } }
    return (await team.call('POST /v2/teams/:teamId/agents', { body })).body.agent_id as string
  }
  const helper = await create('../../etc/\u001b[31mpasswd', { input: 'Help.\r\n' })
  const input = '# Invoices\n\n```output\ndone: yes\n```'
  const main = await create('Invoices', {
    input,
    subAgents: [helper],
    limits: { max_steps: 7 },
    note: ['yes', '1', null],
  })
  const queue = (await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'In' } })).body.queue_id as string
  await team.call(`POST /v2/agents/${main}/schedules`, { body: { frequency: 'daily', time: '09:30', message: 'no' } })
  await team.call(`POST /v2/agents/${main}/case-triggers`, { body: { case_queue_id: queue, enabled: false } })
  await team.call(`POST /v2/agents/${main}/eval-rubrics`, { body: { title: 'Polite', description: 'It says please.' } })
  await team.call(`PUT /v2/agents/${main}/memory/files/a/b.md`, { body: { content: 'Known.\n' } })

  const to = join(folder, 'agents')
  const pulled = linesOf(await printed(runyard('agents', 'pull', '--all', '--to', to, '--memory')))
  assert.deepEqual((await readdir(to)).toSorted(), ['etc-31mpasswd', 'invoices'])
  assert.equal(pulled.length, 2)
  assert.equal(await readFile(join(to, 'invoices', 'procedure.md'), 'utf8'), input)
  assert.equal(await readFile(join(to, 'invoices', 'memory', 'a', 'b.md'), 'utf8'), 'Known.\n')
  const yaml = await readFile(join(to, 'invoices', 'agent.yaml'), 'utf8')
  await printed(runyard('agents', 'pull', '--all', '--to', to, '--memory'))
  assert.equal(await readFile(join(to, 'invoices', 'agent.yaml'), 'utf8'), yaml)
  assert.equal((await runyard('agents', 'diff', to)).code, 0)

  const second = await seedTeam(app)
  const other = as(second)
  const planned = await other('agents', 'push', to)
  assert.equal(planned.code, 2)
  assert.ok(!planned.stdout.includes('\u001b'))
  assert.deepEqual(await configsOf(second), {})
  await printed(other('agents', 'push', to, '--yes'))
  const equal = await other('agents', 'diff', to, '--json')
  assert.deepEqual([equal.code, equal.stdout], [0, ''])
  const [mine, theirs] = [await configsOf(team), await configsOf(second)]
  assert.equal(withoutIds(theirs), withoutIds(mine))
  assert.notDeepEqual(theirs['Invoices']?.data.subAgents, mine['Invoices']?.data.subAgents)

  await writeFile(join(to, 'invoices', 'procedure.md'), `${input}\nMore.`)
  assert.match((await other('agents', 'diff', to)).stdout, /^~ Invoices: new revision, as a draft\n$/)
  await printed(other('agents', 'push', join(to, 'invoices'), '--yes'))
  assert.equal((await other('agents', 'diff', to)).code, 0)
  assert.match(await printed(other('agents', 'promote', 'Invoices', '-m', 'More')), /Revision 2 is live/)
  assert.match(await printed(other('agents', 'promote', 'Invoices', '1')), /Revision 1 is live/)
  await printed(other('agents', 'push', to, '--yes', '--promote'))
  assert.equal((await other('agents', 'diff', to)).code, 0)
  assert.equal(linesOf(await printed(other('agents', '--json'))).length, 2)
})

proves('cli.agents', 'wrong files and names are refused in a sentence', async () => {
  await refused(64, /Name the agents, or give --all/, 'pull')
  await refused(1, /There is no agent "Nobody"/, 'pull', 'Nobody', '--to', folder)
  await refused(1, /There is no folder with an agent.yaml/, 'push', join(folder, 'nothing'))
  const file = join(folder, 'agents', 'invoices', 'agent.yaml')
  await writeFile(file, 'a: &x [1]\nb: [*x, *x]\nname: B\n')
  await refused(1, /agent\.yaml: /, 'diff', join(folder, 'agents'))
  await writeFile(file, 'name: B\nconfig: 3\n')
  await refused(1, /config\.data is missing/, 'diff', join(folder, 'agents'))
})
