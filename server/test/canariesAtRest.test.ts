// Canaries at rest: a run and a page use every kind of secret, and neither the page, its revisions and exports, nor a backup has one in clear.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { readConfig } from '../src/base/config.ts'
import { readArchive } from '../src/base/backup/readArchive.ts'
import { connectionUrl } from '../src/base/embeddedPostgres.ts'
import { createLog } from '../src/base/log.ts'
import { backup } from '../src/cli/backup.ts'
import { startFakeAnthropic } from './fakes/anthropic.ts'
import { fenced, finishedArtifact, send } from './kit/artifacts.ts'
import { assertClean, assertFileClean } from './kit/canaries.ts'
import { testDatabase } from './kit/postgres.ts'
import { proves } from './kit/proves.ts'
import { startReceiver } from './kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from './kit/runs.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'

const canaries = {
  token: 'canary-token-"81"/+?-a4f0',
  other: 'canary other ü 5c2e-77d1',
  password: 'canary-password-<9>-2b1c',
  seed: 'JBSWY3DPEHPK3PXPJBSWY3DP',
  connection: 'canary-connection-6e0d-11aa',
  modelKey: 'canary-model-key-3f9b-40cc',
}
const all = Object.values(canaries)
/** What a run is given. The key of its provider is not among it: nobody but the server knows it. */
const given = all.slice(0, 5)

const folder = await mkdtemp(join(tmpdir(), 'runyard canaries '))
after(() => rm(folder, { recursive: true }))
const provider = await startFakeAnthropic()
after(() => provider.close())
/** A server that answers with what it knows, in many spellings. */
const echo = await startReceiver()
function echoAnswers(known: string[]): void {
  const spelled = known
    .map((value) => Buffer.from(value))
    .map((bytes) => [bytes.toString('base64'), bytes.toString('hex')])
  const body = { known: [...known, ...known.map(encodeURIComponent), ...spelled.flat()] }
  echo.answer(200, { 'content-type': 'application/json' }, JSON.stringify(body))
}
const address = await testDatabase()
const service = await testApp({
  address,
  config: { allowPrivateHosts: ['127.0.0.1'], sandbox: 'just_bash', anthropicUrl: provider.url },
})
const team = await seedTeam(service)

async function made(path: string, body: object, id: string): Promise<string> {
  const answer = await team.call(`POST /v2/teams/:teamId/${path}`, { body })
  assert.equal(answer.status, 201, answer.text)
  return answer.body[id]
}

const secret = await made(
  'secrets',
  { name: 'crm', values: { TOKEN: canaries.token, OTHER: canaries.other } },
  'secret_id',
)
const login = await made(
  'logins',
  { domain: 'shop.example.com', username: 'ada', password: canaries.password, otp_secret: canaries.seed },
  'login_id',
)
const connection = await made(
  'connections',
  { name: 'Echo', type: 'api', server_url: echo.url, api_key: canaries.connection },
  'connection_id',
)
await made('model-keys', { provider: 'anthropic', key: canaries.modelKey }, 'model_key_id')

/** A run that has all of them, and does what it can to leave them somewhere. */
async function leak(): Promise<void> {
  echoAnswers(given)
  const leaks = [
    'env > env.txt; echo "$TOKEN $OTHER"',
    'printf %s "$TOKEN" | base64 > packed.txt',
    'mkdir -p "d/$OTHER"; touch "d/$OTHER/x"',
  ]
  const call = { name: 'http_request', arguments: { url: echo.url, connection: 'Echo' } }
  provider.answer(
    { text: `${canaries.token} it is`, calls: [call, { name: 'sandbox_exec', arguments: { code: leaks.join('\n') } }] },
    { calls: [{ name: 'memory_write', arguments: { path: 'a.md', content: given.join('\n') } }] },
    { text: given.map((value) => Buffer.from(value).toString('base64')).join(' ') },
  )
  const models = { agent: { model: 'anthropic:claude-sonnet-4-5' } }
  const agent = await seedAgent(team, 'Do it.', {
    secrets: [secret],
    logins: [login],
    connections: [connection],
    models,
    plugins: ['http', 'sandbox', 'memory'],
  })
  const run = await startRun(team, agent, { message: 'go' })
  await drainRuns(service)
  const { status, output, error } = await readRun(team, run)
  assert.equal(status, 'completed', JSON.stringify(error))
  assert.ok(output.includes('[cut]') && echo.received.length > 0 && provider.requests.length >= 3)
}

const page = (title: string): string =>
  fenced('http connection=Echo id=said', `GET ${echo.url}/`) +
  fenced(
    'html',
    `<h1>${title}</h1><table><tr><th>Said</th></tr><tr each="one in data.said.body.known"><td>{{ one }}</td></tr></table>`,
  )

proves(
  ['secrets.canary', 'artifacts.canary'],
  'a page whose service shows its credential has it neither in its revisions nor in its exports',
  async () => {
    await leak()
    echoAnswers([canaries.connection])
    const id = await finishedArtifact(service, team, {
      message: page('One'),
      title: 'Said',
      connection_ids: [connection],
    })
    assert.equal((await send(team, id, page('Two'))).status, 200)
    await drainRuns(service)
    const { body } = await team.call(`GET /v2/artifacts/${id}/revisions`)
    const revisions = body.revisions.map((one: { id: string }) => `revisions/${one.id}/render`)
    assert.equal(revisions.length, 2)
    const exports = ['html', 'md', 'csv', 'xlsx'].map((kind) => `export/${kind}`)
    const reads = ['render', 'render/selectable', 'source', 'messages', 'revisions', ...revisions, ...exports]
    for (const path of reads) {
      const file = await team.call(`GET /v2/artifacts/${id}/${path}`)
      assert.equal(file.status, 200, `${path}: ${file.text}`)
      await assertFileClean([canaries.connection], path, file.bytes)
    }
    assert.match((await team.call(`GET /v2/artifacts/${id}/render`)).text, /\[cut\]/)
  },
)

proves(['secrets.canary', 'secrets.backup'], 'a backup, unpacked, has no secret in clear in any spelling', async () => {
  const file = join(folder, 'all.backup')
  const settings = { DATABASE_URL: connectionUrl(address), RUNYARD_DATA_DIR: folder, RUNYARD_DEMO: '0' }
  await backup({
    config: readConfig(settings),
    log: createLog('silent'),
    positionals: [file],
    values: {},
    signal: new AbortController().signal,
    print: () => undefined,
  })
  await assertFileClean(all, 'the backup', await readFile(file))
  let cells = 0
  await readArchive(file, async ({ name, columns }, rows) => {
    const chunks: Buffer[] = []
    for await (const chunk of rows) chunks.push(chunk)
    for (const row of Buffer.concat(chunks).toString().split('\n')) {
      for (const [at, cell] of row.split('\t').entries()) {
        cells++
        // as the database has it: COPY writes a backslash twice, and bytes as digits
        const text = cell.replaceAll('\\\\', '\\')
        const place = `${name}.${columns[at]}`
        assertClean(all, place, text)
        if (/^\\x[0-9a-f]{4,}$/.test(text)) await assertFileClean(all, place, Buffer.from(text.slice(2), 'hex'))
      }
    }
  })
  assert.ok(cells > 1000)
})
