// The commands of the README, the guides and the tutorial, typed in bash as they are printed: `runyard` runs in this process, curl for real.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Runyard } from '../../sdk/src/index.ts'
import { connectionUrl } from '../../server/src/base/embeddedPostgres.ts'
import { readFences, type Fence } from '../../server/src/drivers/model/runbook/fences.ts'
import { testDatabase } from '../../server/test/kit/postgres.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { freePort, startService, temporaryDataDir, type Service } from '../../server/test/survival/processes.ts'
import { lineWith, type Outcome } from './lines.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = ['README.md', ...(await readdir(join(root, 'docs/guides'))).map((file) => `docs/guides/${file}`)]

const tutorial = 'docs/tutorial.md'

const isThere = (program: string): boolean => spawnSync(program, ['--version']).error === undefined
const skip = ['bash', 'curl', 'jq'].every(isThere) ? false : 'bash, curl or jq is not installed'

/** What cannot work here: it needs an account elsewhere, a browser or a model, or a reader who is slower than a script. */
const refusals: Record<string, RegExp> = {
  resumeBuilderRun: /^This builder run is not waiting for answers/,
  acceptRevision: /^There is nothing to review/,
  answerArtifact: /has no open question/,
  startNativeOAuth: /has no OAuth client on this server/,
  authorizeMcpOAuth: /does not ask for OAuth/,
  finalizeThirdPartyOAuth: /broker/,
  listBrowserSessionPages: /^Nothing with this id/,
  // an incident opens minutes after what it is about, and a suggestion takes a model
  'alerts ack': /^Nothing with this id/,
  'suggestion show': /^Nothing with this id/,
  'suggestion accept': /^Nothing with this id/,
  'suggestion reject': /^Nothing with this id/,
}

/** The same for the paths of curl. */
const refusedPaths = [/404 GET .*\/browser-agent\/session\//, /404 (GET|POST) .*\/v2\/suggestions\//]

interface Typed extends Outcome {
  words: string[]
}

const dataDir = await temporaryDataDir()
const folder = await mkdtemp(join(tmpdir(), 'runyard-guides-'))
const typed: Typed[] = []
let service: Service
let sdk: Runyard
let desk: Server
let deskUrl: string

before(async () => {
  if (skip) return
  const DATABASE_URL = connectionUrl(await testDatabase())
  service = await startService({
    dataDir: dataDir.path,
    env: { DATABASE_URL, RUNYARD_DEMO: '1', RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
  })
  sdk = new Runyard({ apiKey: service.key, baseUrl: service.baseUrl })
  process.chdir(folder)
  await symlink(dataDir.path, '.runyard')
  const env = { HOME: folder, RUNYARD_DATA_DIR: dataDir.path, DATABASE_URL }
  desk = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request)
      // every other path stands for the hosts below example.com
      if (request.url !== '/typed') return response.end('{}')
      const words = body.toString().split('\0').slice(0, -1)
      const outcome = await lineWith(words, env)
      typed.push({ ...outcome, words })
      return response.end(outcome.bytes)
    })()
  })
  desk.listen(0, '127.0.0.1')
  await once(desk, 'listening')
  deskUrl = `http://127.0.0.1:${(desk.address() as AddressInfo).port}`
})

after(async () => {
  process.chdir(root)
  await service?.stop('SIGINT')
  desk?.close()
  desk?.closeAllConnections()
  await dataDir.remove()
  await rm(folder, { recursive: true })
})

const port = skip ? 0 : await freePort()

const textOf = (page: string): Promise<string> => readFile(join(root, page), 'utf8')

const commandsIn = (text: string): Fence[] => readFences(text).fences.filter(({ info }) => info === 'sh')

/** Commands between backticks in a sentence: they are only asked for their help, with all their options. */
const inlineIn = (text: string): string[] =>
  [...text.replaceAll('\n', ' ').matchAll(/(?<!`)`((?:npx )?runyard [^`]+)`(?!`)/g)]
    .map(([, line = '']) => line)
    .filter((line) => !/…|ID|FILE|URL| help$/.test(line))

function scriptOf(text: string): string {
  const asPrinted = commandsIn(text).map(({ body }) => body)
  return [
    `runyard() { printf '%s\\0' "$@" | command curl -sS --data-binary @- ${deskUrl}/typed; }`,
    'npx() { shift; runyard "$@"; }',
    `curl() { command curl -sS --max-time 120 -w '%{stderr}%{http_code} %{method} %{url_effective}\\n' "$@"; }`,
    ...asPrinted,
    ...inlineIn(text).map((line) => `${line} --help`),
  ]
    .join('\n')
    .replaceAll('http://127.0.0.1:4700', service.baseUrl)
    .replaceAll('4801', String(port))
    .replaceAll(/https:\/\/\w+\.example\.com/g, deskUrl)
}

interface Shell {
  stdout: string
  /** What curl was answered, one line for each request; other lines are complaints of the shell. */
  stderr: string[]
}

async function inBash(script: string, env: Record<string, string>): Promise<Shell> {
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  const shell = spawn('bash', ['-c', script], {
    cwd: folder,
    env: { PATH, URL: service.baseUrl, KEY: service.key, TEAM: service.teamId, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([buffer(shell.stdout), buffer(shell.stderr), once(shell, 'close')])
  return { stdout: stdout.toString(), stderr: stderr.toString().split('\n').filter(Boolean) }
}

/** `diff` found changes; a run needs a person, who is not in a pipe. */
const isFine = ({ words, code, stderr }: Typed): boolean =>
  code === 0 ||
  (code === 2 && words[1] === 'diff') ||
  (code === 5 && words[0] === 'run') ||
  [words[1] ?? '', words.slice(0, 2).join(' ')].some((name) => refusals[name]?.test(stderr))

/** What went wrong in a page, and what it printed. */
async function typePage(page: string, env: Record<string, string>) {
  typed.length = 0
  const { stdout, stderr } = await inBash(scriptOf(await textOf(page)), env)
  const wrong = typed.filter((one) => !isFine(one)).map((one) => `runyard ${one.words.join(' ')}: ${one.stderr}`)
  // 409: the command line did the same just before
  const refused = stderr.filter((line) => !/^(2\d\d|409) /.test(line) && !refusedPaths.some((one) => one.test(line)))
  return { stdout, count: typed.length, problems: [...wrong, ...refused].map((line) => `${page}: ${line.trimEnd()}`) }
}

async function agent(name: string, procedure: string): Promise<string> {
  const config = { version: 'v2' as const, data: { input: procedure } }
  return (await sdk.agents.create({ name, build: { config } })).agent_id
}

async function endedRun(procedure: string): Promise<{ AGENT: string; RUN: string }> {
  const AGENT = await agent('Ended', procedure)
  const { id } = await sdk.runs.startAndWait({ agent_id: AGENT }, { timeoutMs: 60_000 })
  return { AGENT, RUN: id }
}

async function asked(procedure: string): Promise<{ run: string; request: string }> {
  const agent_id = await agent('Asks', procedure)
  const run = await sdk.runs.startAndWait({ agent_id }, { timeoutMs: 60_000 })
  assert.ok(run.pendingRequest)
  return { run: run.id, request: run.pendingRequest.request.id }
}

/** One that arrived, and can be sent again. */
async function delivery(): Promise<string> {
  const { subscription_id } = await sdk.webhooks.create({ url: `${deskUrl}/hook`, events: ['run.failed'] })
  await sdk.webhooks.test(subscription_id, {})
  for (;;) {
    for await (const { id } of sdk.deliveries.list({ subscription_id, status: 'delivered' })) return id
    await setTimeout(50)
  }
}

const hello = '```output\nHello\n```'

/** The agent that two pages name: it has four builds, an ended run, and a replay of that. */
async function makeInvoiceChecker() {
  const AGENT = await agent('Invoice checker', hello)
  await sdk.runs.startAndWait({ agent_id: AGENT }, { timeoutMs: 60_000 })
  const builds = [await sdk.agents.createRevision(AGENT, {}), await sdk.agents.createRevision(AGENT, {})]
  builds.push(await sdk.agents.createRevision(AGENT, {}))
  const { replay_set_id } = await sdk.replays.createSet(AGENT, { name: 'Recorded' })
  await sdk.replays.addRecordings(replay_set_id, { last: 1 })
  const { replay_id } = await sdk.replays.start(replay_set_id, {})
  return { AGENT, BUILD: builds.at(-1)!.build_id, REPLAY: replay_id }
}
let invoiceChecker: ReturnType<typeof makeInvoiceChecker> | undefined

/** What the reader of a page has: ids from earlier answers, as variables, and files. */
const given: Record<string, () => Promise<Record<string, string>>> = {
  'alerts.md': async () => ({ AGENT: await agent('Pays invoices', hello), INCIDENT: crypto.randomUUID() }),
  'artifacts.md': async () => {
    const { fences } = readFences(await textOf('docs/guides/artifacts.md'))
    const week = fences.find(({ info }) => info === 'markdown')
    await writeFile('week.md', week?.body ?? '')
    return {}
  },
  'browser.md': async () => ({ ...(await endedRun(hello)), SESSION: crypto.randomUUID() }),
  'connections.md': async () => ({ BILLING_KEY: 'sk_test', PROVIDER: 'github' }),
  'evaluations.md': async () => {
    const run = await endedRun(hello)
    return { ...run, BUILD: (await sdk.agents.createRevision(run.AGENT, {})).build_id }
  },
  'evidence.md': () => endedRun(hello),
  'guardrails.md': async () => {
    const { queue_id } = await sdk.queues.create({ name: 'Invoices' })
    return { ...(await endedRun(hello)), QUEUE: queue_id }
  },
  'human-requests.md': async () => {
    const [first, second, third] = await Promise.all([
      asked('```approve\nPay?\n```'),
      asked('```approve\nOrder?\n```'),
      asked('```ask\nWhen?\n```'),
    ])
    return { RUN: first.run, REQUEST: first.request, OTHER_REQUEST: second.request, QUESTION: third.request }
  },
  'mcp.md': async () => ({ AGENT: await agent('Invoices', hello) }),
  'memory.md': async () => ({ AGENT: await agent('Remembers', hello) }),
  'queues.md': async () => {
    // the agent holds five cases, and the others stay for people
    const rows = Array.from({ length: 8 }, (_, n) => `${n},Refund ${n},30`)
    await writeFile('refunds.csv', ['number,refund,amount', ...rows, ''].join('\n'))
    return { AGENT: await agent('Refunds', '```wait\n1h\n```') }
  },
  'replay.md': () => (invoiceChecker ??= makeInvoiceChecker()),
  'runs.md': async () => ({
    AGENT: await agent('Orders', `\`\`\`memory path=last.md\n{{ message }}\n\`\`\`\n\n${hello}`),
    STEP: '1',
  }),
  'sandboxes.md': async () => {
    await writeFile('orders.csv', 'id\n1\n')
    await writeFile('video.mp4', new Uint8Array(11 * 1024 * 1024))
    return endedRun('```file path=out/report.md\nDone\n```')
  },
  'schedules.md': async () => ({ AGENT: await agent('Reports', hello) }),
  'suggestions.md': async () => ({
    ...(await (invoiceChecker ??= makeInvoiceChecker())),
    SUGGESTION: crypto.randomUUID(),
  }),
  'triggers.md': async () => ({ AGENT: await agent('Checks orders', hello) }),
  'webhooks.md': async () => ({ DELIVERY: await delivery() }),
}

proves('guides.commands', 'every command of the guides does what it says at a real service', { skip }, async () => {
  const all: string[] = []
  let typedInAll = 0
  for (const page of pages) {
    const { problems, count } = await typePage(page, (await given[basename(page)]?.()) ?? {})
    all.push(...problems)
    typedInAll += count
  }
  assert.deepEqual(all, [])
  assert.ok(typedInAll > 90, `${typedInAll} commands`)
})

proves('tutorial.runs', 'the commands of the tutorial do what it says', { skip }, async () => {
  const { problems, stdout } = await typePage(tutorial, {})
  assert.deepEqual(problems, [])
  for (const line of ['  "ordered": 0', 'Order 50 reams of paper?', '50', 'run.completed'])
    assert.ok(stdout.split('\n').includes(line), `${line} is missing in:\n${stdout}`)
  assert.match(stdout, /^\S+ +human_request\.responded +responded: Order 50 reams/m)
  const preview = JSON.parse(/\{\s+"schedule_id"[^]*?\]\s+\}/.exec(stdout)?.[0] ?? '{}') as { next_runs?: string[] }
  assert.equal(preview.next_runs?.length, 5)
})

proves('guides.cliFirst', 'in every section with a command, the command line comes before curl', async () => {
  const found: string[] = []
  for (const page of [...pages, tutorial]) {
    const sections = (await textOf(page)).split(/^#+ .*$/m)
    for (const section of sections) {
      const bodies = commandsIn(section).map(({ body }) => body)
      const first = bodies.findIndex((body) => body.includes('runyard '))
      const curl = bodies.findIndex((body) => /\bcurl /.test(body))
      if (curl >= 0 && (first < 0 || curl < first)) found.push(`${page}: ${bodies[curl]}`)
    }
  }
  assert.deepEqual(found, [])
})
