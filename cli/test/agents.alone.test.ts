// Agents as files: from one team to another, and back.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { compiledCode, programFile } from '../../server/test/kit/programFile.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { seedTeam, type TestTeam } from '../../server/test/kit/seed.ts'
import { runAndReport } from '../src/main.ts'
import { linesOf, openBench, printed } from './lines.ts'
import { inTerminal, noTerminal } from './terminal.ts'

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const { app, baseUrl, folder, team, runyard, as } = await openBench()

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

/** An agent by hand. */
async function agentFolder(name: string, lines: string[]): Promise<string> {
  const at = join(folder, 'by-hand', name)
  await mkdir(at, { recursive: true })
  const config = 'config: { version: v2, data: { input: First. } }'
  const all = lines.some((line) => line.startsWith('config:')) ? lines : [...lines, config]
  await writeFile(join(at, 'agent.yaml'), [`name: ${name}`, ...all, ''].join('\n'))
  return at
}

/** Pushes in a process that is killed when the service has carried out its n-th change, before it hears of it. */
async function pushUntil(changes: number, at: string, of: TestTeam): Promise<string> {
  let left = changes
  let last = ''
  const passOn = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '', headers } = incoming
    const body = await new Response(Readable.toWeb(incoming) as ReadableStream).arrayBuffer()
    const sent = Object.entries(headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name))
    const answer = await fetch(new URL(url, baseUrl), {
      method,
      headers: sent as [string, string][],
      ...(method !== 'GET' && { body }),
    })
    const text = await answer.text()
    if (method !== 'GET') left -= 1
    if (left === 0) {
      last = `${method} ${url.split('/').at(-1)}`
      child.kill('SIGKILL')
    } else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  }
  const between = createServer((incoming, response) => void passOn(incoming, response)).listen(0, '127.0.0.1')
  await once(between, 'listening')
  const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
  const env = { ...compiledCode, PATH: process.env['PATH'], HOME: folder, RUNYARD_URL: url, RUNYARD_API_KEY: of.key }
  const child = spawn(process.execPath, [programFile(program), 'agents', 'push', at, '--yes'], { env, stdio: 'ignore' })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  assert.equal(signal, 'SIGKILL')
  between.close().closeAllConnections()
  return last
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
  await team.call(`POST /v2/agents/${main}/eval-rubrics`, {
    body: { title: 'Polite', description: 'It says please and thanks.' },
  })
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
  assert.deepEqual(linesOf(planned.stdout).slice(1), [
    '+ Invoices: agent, live at once',
    '~ Invoices: rubrics',
    '+ Invoices: schedule daily',
    '+ Invoices: queue In',
    '+ Invoices: trigger on the queue In',
    '+ Invoices: memory a/b.md',
  ])
  assert.deepEqual(await configsOf(second), {})
  await printed(other('agents', 'push', to, '--yes'))
  const equal = await other('agents', 'diff', to, '--json')
  assert.deepEqual([equal.code, equal.stdout], [0, ''])
  const [mine, theirs] = [await configsOf(team), await configsOf(second)]
  assert.equal(withoutIds(theirs), withoutIds(mine))
  assert.notDeepEqual(theirs['Invoices']?.data.subAgents, mine['Invoices']?.data.subAgents)

  await writeFile(join(to, 'invoices', 'procedure.md'), `${input}\nMore.`)
  assert.match((await other('agents', 'diff', to)).stdout, /^~ Invoices: new build, as a draft\n$/)
  await printed(other('agents', 'push', join(to, 'invoices'), '--yes'))
  assert.equal((await other('agents', 'diff', to)).code, 0)
  assert.match(await printed(other('agents', 'promote', 'Invoices', '-m', 'More')), /Build 2 is live/)
  assert.match(await printed(other('agents', 'promote', 'Invoices', '1')), /Build 1 is live/)
  await printed(other('agents', 'push', to, '--yes', '--promote'))
  assert.equal((await other('agents', 'diff', to)).code, 0)
  assert.equal(linesOf(await printed(other('agents', '--json'))).length, 2)
})

proves('cli.agents', 'rubrics go with the draft they are for, and files may leave out what is usual', async () => {
  const third = await seedTeam(app)
  const line = as(third)
  const at = await agentFolder('drafted', [
    'schedules: [{ frequency: daily, time: "09:30" }]',
    'rubrics: [{ title: Polite, description: It says please and thanks. }]',
  ])
  await printed(line('agents', 'push', at, '--yes'))
  assert.equal((await line('agents', 'diff', at)).code, 0)
  const { body } = await third.call('GET /v2/teams/:teamId/agents')
  const agentId = (body.agents as { id: string }[])[0]?.id ?? ''
  const titles = async (build = '') => {
    const { rubrics } = (await third.call(`GET /v2/agents/${agentId}/eval-rubrics${build}`)).body
    return (rubrics as { title: string }[]).map(({ title }) => title)
  }
  await agentFolder('drafted', [
    'schedules: [{ frequency: daily, time: "09:30" }]',
    'rubrics: [{ title: Short, description: It has fewer than ten lines. }]',
    'config: { version: v2, data: { input: Changed. } }',
  ])
  const plan = '~ drafted: new build, as a draft\n~ drafted: rubrics of the new build\n'
  assert.equal((await line('agents', 'diff', at)).stdout, plan)
  await printed(line('agents', 'push', at, '--yes'))
  assert.equal((await line('agents', 'diff', at)).code, 0)
  assert.deepEqual(await titles(), ['Polite'])
  const promoted = await line('agents', 'push', at, '--yes', '--promote')
  assert.equal(promoted.stdout, '~ drafted: build 2 becomes live\n')
  assert.deepEqual(await titles(), ['Short'])
  assert.equal((await line('agents', 'diff', at)).code, 0)
})

async function connectionOf(of: TestTeam): Promise<string> {
  const body = { name: 'Shop', type: 'custom_mcp', server_url: 'https://8.8.8.8/mcp', api_key: 'key-of-shop' }
  return (await of.call('POST /v2/teams/:teamId/connections', { body })).body.connection_id as string
}

proves('cli.agents', 'every kind of trigger goes with its agent, and no secret or address into a file', async () => {
  const [from, to] = [await seedTeam(app), await seedTeam(app)]
  const agentId = (await from.call('POST /v2/teams/:teamId/agents', { body: { name: 'Heard' } })).body
    .agent_id as string
  const secret = 'sender-secret-4711'
  for (const body of [
    { kind: 'webhook', name: 'Issues', webhook: { verifier: 'github', secret }, filter: 'body.action == "opened"' },
    { kind: 'webhook', name: 'Open', message: 'Look at {{ body.id }}', concurrency: 2 },
    { kind: 'event', event: { event: 'run.failed', agent_id: agentId } },
    {
      kind: 'poll',
      name: 'Orders',
      enabled: false,
      poll: { connection_id: await connectionOf(from), tool: 'list_orders', arguments: { status: 'open' } },
    },
  ]) {
    const made = await from.call(`POST /v2/agents/${agentId}/triggers`, { body })
    assert.equal(made.status, 201, made.text)
  }
  const at = join(folder, 'heard')
  await printed(as(from)('agents', 'pull', 'Heard', '--to', at))
  const yaml = await readFile(join(at, 'heard', 'agent.yaml'), 'utf8')
  assert.ok(!yaml.includes(secret) && !yaml.includes('/in/'))
  assert.match(yaml, /connection: Shop/)
  assert.equal((await as(from)('agents', 'diff', at)).code, 0)

  const line = as(to)
  assert.match((await line('agents', 'push', at)).stderr, /0 connections "Shop"/)
  await connectionOf(to)
  const planned = await line('agents', 'push', at)
  assert.deepEqual(linesOf(planned.stdout).toSorted(), [
    '+ Heard: agent, live at once',
    '+ Heard: event',
    '+ Heard: poll Orders',
    '+ Heard: webhook Issues, paused until you give its secret',
    '+ Heard: webhook Open',
  ])
  await printed(line('agents', 'push', at, '--yes'))
  assert.equal((await line('agents', 'diff', at)).code, 0)
  const theirs = (await to.call('GET /v2/teams/:teamId/agents')).body.agents[0].id as string
  const read = async () =>
    (await to.call(`GET /v2/agents/${theirs}/triggers`)).body.triggers as {
      id: string
      name: string
      enabled: boolean
      webhook: { url: string; has_secret: boolean } | null
    }[]
  const issues = (await read()).find(({ name }) => name === 'Issues')!
  assert.deepEqual([issues.enabled, issues.webhook?.has_secret], [false, false])
  await to.call(`PATCH /v2/triggers/${issues.id}`, { body: { enabled: true, webhook: { secret } } })
  assert.equal((await line('agents', 'diff', at)).code, 0)

  const changed = yaml
    .replace('body.action == "opened"', 'body.action == "closed"')
    .replace(/ {2}- kind: event\n[^]*?(?= {2}- kind)/, '')
  await writeFile(join(at, 'heard', 'agent.yaml'), changed)
  assert.deepEqual(linesOf((await line('agents', 'diff', at)).stdout), ['~ Heard: webhook Issues', '- Heard: event'])
  await printed(line('agents', 'push', at, '--yes'))
  assert.equal((await line('agents', 'diff', at)).code, 0)
  const kept = (await read()).find(({ name }) => name === 'Issues')!
  assert.deepEqual([kept.enabled, kept.webhook], [true, { ...issues.webhook, has_secret: true }])

  await writeFile(join(at, 'heard', 'agent.yaml'), changed.replace(/incoming:[^]*?(?=rubrics:)/, ''))
  assert.equal((await line('agents', 'diff', at)).code, 0, 'a file that says nothing of them leaves them')
  const inFile = changed.replace(/( +)verifier: github/, `$1verifier: github\n$1secret: ${secret}`)
  await writeFile(join(at, 'heard', 'agent.yaml'), inFile)
  assert.match((await line('agents', 'push', at, '--yes')).stderr, /a file never holds a secret/)
})

proves('cli.agents', 'a push that is killed and started again makes nothing twice', async () => {
  const killed = await seedTeam(app)
  const line = as(killed)
  const about = [
    'schedules: [{ frequency: daily, time: "09:30" }, { frequency: weekly, day: monday, time: "10:00" }]',
    'triggers: [{ queue: Killed }]',
    'memory_enabled: true',
  ]
  const polite = 'rubrics: [{ title: Polite, description: It says please and thanks. }]'
  const at = await agentFolder('killed', [...about, polite])
  await mkdir(join(at, 'memory'))
  for (const name of ['a.md', 'b.md']) await writeFile(join(at, 'memory', name), name)
  const cuts: string[] = []
  // each push is killed with its second change carried out, whose answer it never sees
  for (let kills = 0; kills < 4; kills += 1) cuts.push(await pushUntil(2, at, killed))
  await printed(line('agents', 'push', at, '--yes'))
  await agentFolder('killed', [...about, 'config: { version: v2, data: { input: Changed. } }'])
  cuts.push(await pushUntil(1, at, killed))
  await printed(line('agents', 'push', at, '--yes'))
  assert.deepEqual(cuts, ['PUT eval-rubrics', 'POST schedules', 'POST case-triggers', 'PUT b.md', 'POST revisions'])

  assert.equal((await line('agents', 'diff', at)).code, 0)
  const of = async (path: string, name: string): Promise<{ id: string }[]> =>
    (await killed.call(`GET ${path}`)).body[name] as { id: string }[]
  const agents = await of('/v2/teams/:teamId/agents', 'agents')
  const path = `/v2/agents/${agents[0]?.id}`
  const counts = [
    agents,
    await of(`${path}/schedules`, 'schedules'),
    await of(`${path}/case-triggers`, 'case_triggers'),
    await of('/v2/teams/:teamId/queues', 'queues'),
    await of(`${path}/revisions`, 'builds'),
    await of(`${path}/eval-rubrics`, 'rubrics'),
    await of(`${path}/memory/files`, 'files'),
  ].map((list) => list.length)
  assert.deepEqual(counts, [1, 2, 1, 1, 2, 1, 2])
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

proves(
  'cli.agents',
  'an interrupted pull or push ends before its next agent or change, and another one does the rest',
  async () => {
    const third = await seedTeam(app)
    const mine = as(third)
    const at = join(folder, 'interrupted')
    for (const name of ['First', 'Second']) {
      await mkdir(join(at, name), { recursive: true })
      await writeFile(
        join(at, name, 'agent.yaml'),
        `name: ${name}\nconfig: { version: v2, data: { input: ${name}. } }\n`,
      )
    }
    const interrupted = async (...words: string[]) => {
      let said = ''
      let lines = 0
      // a second signal would not wait for anything
      const stdout = { write: () => (lines += 1) === 1 && process.emit('SIGINT') }
      const stderr = { write: (text: unknown) => (said += String(text)) }
      const env = { HOME: folder, RUNYARD_URL: baseUrl, RUNYARD_API_KEY: third.key }
      return { code: await runAndReport(['agents', ...words], env, { stdout, stderr }), said }
    }
    const push = ['push', at, '--yes']
    const said = 'Interrupted after 0 of 2 changes. Another push carries out the rest.\n'
    assert.deepEqual(await interrupted(...push), { code: 130, said })
    assert.deepEqual(await configsOf(third), {})
    assert.equal((await mine('agents', ...push)).code, 0)
    const pull = ['pull', '--all', '--to', join(folder, 'pulled-in-part')]
    assert.deepEqual(await interrupted(...pull), { code: 130, said: 'Interrupted.\n' })
    assert.equal((await readdir(join(folder, 'pulled-in-part'))).length, 1)
    assert.equal(linesOf(await printed(mine('agents', ...pull))).length, 2)
  },
)

proves(
  'cli.agents',
  'at the question of a push Ctrl-C interrupts, and Ctrl-D means No like everything but yes',
  { skip: noTerminal },
  async () => {
    const asked = await seedTeam(app)
    const at = await agentFolder('asked', [])
    const env = { ...compiledCode, PATH: process.env['PATH'], HOME: folder, RUNYARD_URL: baseUrl }
    for (const [keys, code, agents] of [
      ['\u0003', 130, 0],
      ['\u0004', 3, 0],
      ['y\r', 0, 1],
    ] as const) {
      const line = [process.execPath, programFile(program), 'agents', 'push', at]
      const terminal = inTerminal(line, { ...env, RUNYARD_API_KEY: asked.key }, folder)
      await terminal.shows('Carry this out? [y/N]')
      terminal.type(keys)
      assert.equal(await terminal.exited, code, terminal.screen.text())
      assert.equal(Object.keys(await configsOf(asked)).length, agents)
    }
  },
)
