// Logins: kept sealed, filled by the real browser into pages of their own domain alone, with a one-time code, and found nowhere in clear.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../../test/fakes/anthropic.ts'
import { assertClean, dumpTables } from '../../../../test/kit/canaries.ts'
import { needsBrowser } from '../../../../test/kit/browser.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { browserOf } from '../../../kit/browserOf.ts'
import { openLogin } from './login.ts'
import { codeAt, readSeed } from './totp.ts'

const password = 'canary-password-4d3c'
const seed = 'JBSWY3DPEHPK3PXPJBSWY3DP'
const page = (title: string, body: string): string => `<!doctype html><title>${title}</title><h1>${title}</h1>${body}`
const form =
  '<label>User <input name=username></label><label>Password <input type=password name=password></label><button>Go</button>'

/** What each site was sent. */
const sent: string[] = []

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  sent.push(text)
  return new URLSearchParams(text)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? ''
  const see = (to: string) => response.writeHead(303, { location: to }).end()
  if (request.method === 'POST' && path === '/login') {
    const body = await bodyOf(request)
    return void see(body.get('password') === password && body.get('username') === 'ada' ? '/code' : '/login')
  }
  if (request.method === 'POST' && path === '/code') {
    const now = codeAt(readSeed(seed)!, new Date())
    const before = codeAt(readSeed(seed)!, new Date(Date.now() - 30_000))
    return void see([now, before].includes((await bodyOf(request)).get('otp') ?? '') ? '/home' : '/code')
  }
  const frame = new URL(path, 'http://x').searchParams.get('frame') ?? ''
  const pages: Record<string, string> = {
    '/login': page('Sign in', `<form method=post action=/login>${form}</form>`),
    '/code': page(
      'Code',
      '<form method=post action=/code><label>Code <input name=otp inputmode=numeric></label></form>',
    ),
    '/home': page('Home', '<p>Hello ada</p>'),
    // keeps what was filled in, and shows it on request
    '/stay': page('Stay', `<form onsubmit="this.password.type='text'; event.preventDefault()">${form}</form>`),
    '/echo': page(
      'Echo',
      `<form onsubmit="out.textContent=this.password.value; event.preventDefault()">${form}</form><p id=out></p>`,
    ),
    '/framed': page('Framed', `<iframe src="${frame}" width=600 height=300></iframe>`),
  }
  response.setHeader('content-type', 'text/html; charset=utf-8').end(pages[path.split('?')[0]!] ?? page('Nothing', ''))
}

async function startSite(): Promise<string> {
  const server: Server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const [site, other] = [await startSite(), await startSite()]
const provider = await startFakeAnthropic()
const service = await testApp({
  config: {
    allowPrivateHosts: ['127.0.0.1', 'localhost'],
    anthropicKey: 'sk-ant-canary-1234567890',
    anthropicUrl: provider.url,
  },
})
after(async () => {
  await provider.close()
  await browserOf(service.context).close()
})
const team = await seedTeam(service)

async function makeLogin(domain: string, more: object = {}): Promise<string> {
  const body = { domain, username: 'ada', password, otp_secret: seed, ...more }
  const made = await team.call('POST /v2/teams/:teamId/logins', { body })
  assert.equal(made.status, 201, made.text)
  return made.body.login_id
}

const login = await makeLogin(site)
const step = (words: string, body: string) => `\`\`\`${words}\n${body}\n\`\`\`\n\n`

/** Opens the URL, logs in, and returns the run. `line`: in a browser block, otherwise by the tool that models have. */
async function logInAt(url: string, line?: string) {
  const procedure = [
    line === undefined
      ? step('browser', `open ${url}`) + step('tool id=login name=browser_login', '{}')
      : step('browser id=login', `open ${url}\n${line}\nread`),
    step('output', '{{ steps.login.output }}'),
  ].join('')
  const run = await startRun(
    team,
    await seedAgent(team, procedure, { logins: [login], plugins: ['browser', 'sandbox'] }),
  )
  await drainRuns(service)
  return readRun(team, run)
}

proves('logins.kept', 'a login is sealed, and its password and seed are never answered', async () => {
  const own = await makeLogin('kept.example.com')
  const { text, body } = await team.call(`GET /v2/logins/${own}`)
  assert.deepEqual([body.login.has_password, body.login.has_otp, body.login.domain], [true, true, 'kept.example.com'])
  assertClean([password, seed], 'an answer', text)
  const twice = await team.call('POST /v2/teams/:teamId/logins', {
    body: { domain: 'kept.example.com', username: 'ada', password: 'x' },
  })
  assert.equal(twice.body.error, 'duplicate_name')
  const moved = await team.call(`PATCH /v2/logins/${own}`, { body: { domain: 'evil.example' } })
  assert.match(moved.body.message, /needs the password again/)
  const elsewhere = await team.call(`PATCH /v2/logins/${own}`, {
    body: { domain: 'new.example', password: 'other-password' },
  })
  assert.deepEqual([elsewhere.body.login.domain, elsewhere.body.login.has_otp], ['new.example', false])
  const [row] = await team.sql<{ sealed: Buffer }>`select sealed from logins where id = ${own}`
  assert.deepEqual(openLogin(service.context.keyring, own, row!.sealed), {
    password: 'other-password',
    otp_secret: null,
  })
  const [long, short] = await Promise.all(
    ['123456', '4711'].map((pin) => team.call(`PATCH /v2/logins/${own}`, { body: { password: pin } })),
  )
  assert.deepEqual([long!.status, long!.body.note], [200, null])
  assert.match(short!.body.note, /fewer than 6 characters.*not cut out of texts/)
  for (const wrong of [{ domain: 'a b' }, { domain: 'https://a.example' }, { otp_secret: '1234' }]) {
    const asked = { body: { domain: 'a.example', username: 'u', password: 'p', ...wrong } }
    assert.equal((await team.call('POST /v2/teams/:teamId/logins', asked)).status, 400)
  }
})

proves(
  'logins.inBuilds',
  'a build that names a login which is not there is refused, and deletion answers who used it',
  async () => {
    const own = await makeLogin('used.example.com')
    const agent = await seedAgent(team, 'Log in.', { logins: ['used.example.com'] })
    const config = { version: 'v2', data: { input: 'Log in.', logins: ['nothing.example'] } }
    const refused = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'x', build: { config } } })
    assert.match(refused.body.message, /data\.logins: the team has no login/)
    const saved: [line: string, logins: string[], reason: RegExp | undefined][] = [
      ['login', ['used.example.com'], undefined],
      ['login used.example.com', [own], undefined],
      [`login ${own}`, ['used.example.com'], undefined],
      ['login', [], /line 3: add a login to data\.logins/],
      ['login other.example', [own], /line 3: add "other.example" to data\.logins/],
    ]
    for (const [line, logins, reason] of saved) {
      const data = { input: step('browser', `open https://used.example.com\n${line}`), logins, plugins: ['browser'] }
      const body = { name: 'Tested', build: { config: { version: 'v2', data } } }
      const made = await team.call('POST /v2/teams/:teamId/agents', { body })
      assert.equal(made.status, reason ? 400 : 201, made.text)
      if (reason) assert.match(made.body.message, reason)
      else await team.call(`DELETE /v2/agents/${made.body.agent_id}`)
    }
    const { body } = await team.call(`GET /v2/logins/${own}/dependents`)
    const gone = await team.call(`DELETE /v2/logins/${own}`)
    assert.deepEqual(gone.body, { success: true, ...body })
    assert.deepEqual(
      body.agents.map((one: { id: string }) => one.id),
      [agent],
    )
  },
)

proves('logins.browser', 'the browser logs in with a password and a one-time code', needsBrowser, async () => {
  sent.length = 0
  const run = await logInAt(`http://${site}/login`)
  assert.equal(run.status, 'completed', JSON.stringify(run.error))
  assert.equal(run.output.page.title, 'Home')
  assert.equal(sent.length, 2)
  const { body } = await team.call('GET /v2/teams/:teamId/audit-log?operation=useLogin')
  assert.deepEqual(
    body.entries.map((entry: Record<string, string>) => [entry['target_id'], entry['credential_id']]),
    [[login, run.id]],
  )
  const byLine = await logInAt(`http://${site}/login`, `login ${site}`)
  assert.deepEqual([byLine.status, byLine.output.page.title], ['completed', 'Home'], JSON.stringify(byLine.error))
})

proves(
  'logins.elsewhere',
  'nothing is filled into another domain, a look-alike, or a frame of another origin',
  needsBrowser,
  async () => {
    sent.length = 0
    const pages = [
      `http://${other}/login`,
      `http://${site.replace('127.0.0.1', 'localhost')}/login`,
      `http://${site}/framed?frame=http://${other}/login`,
      `http://${other}/framed?frame=http://${site}/login`,
    ]
    for (const url of pages) {
      const run = await logInAt(url)
      assert.equal(run.status, 'failed', url)
      assert.match(run.error.message, /Nothing was filled in|no fields to log in with/, url)
    }
    assert.deepEqual(sent, [])
  },
)

proves(
  ['secrets.canary', 'logins.hidden'],
  'passwords, seeds and codes are found in no message, event, log, picture or row',
  needsBrowser,
  async () => {
    const canaries = [password, seed]
    const stay = await logInAt(`http://${site}/stay`)
    const echo = await logInAt(`http://${site}/echo`)
    for (const run of [stay, echo]) {
      for (const path of ['', '/messages', '/events', '/why']) {
        const { text } = await team.call(`GET /v2/runs/${run.id}${path}`)
        assertClean(canaries, path, text)
      }
    }
    const messages = await team.call(`GET /v2/runs/${echo.id}/messages`)
    assert.ok(messages.text.includes('No picture was taken'), messages.text.slice(-2000))
    assertClean(canaries, 'the log', service.logged.join('\n'))
    for (const [table, text] of await dumpTables(service.context)) assertClean(canaries, table, text)
  },
)

const opens = (path: string) => ({
  calls: [{ name: 'browser_open', arguments: { url: `http://${site}${path}` } }],
})

proves(
  ['logins.hidden', 'runs.seenBrowser'],
  'a model is shown the covered picture of the timeline, and none of a page that shows the password',
  needsBrowser,
  async () => {
    const data = { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } }, logins: [login], plugins: ['browser'] }
    const agentId = await seedAgent(team, 'Log in.', data)
    const logIn = { calls: [{ name: 'browser_login', arguments: {} }] }
    provider.answer(opens('/stay'), logIn, opens('/echo'), logIn, { text: 'seen' })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    const { output, error } = await readRun(team, runId)
    assert.equal(output, 'seen', JSON.stringify(error))
    const asked = JSON.stringify(provider.requests.at(-1)!.body)
    assertClean([password, seed], 'a request of a model', asked)
    const seen = [...asked.matchAll(/"media_type":"image\/jpeg","data":"([^"]+)"/g)].map(([, bytes = '']) =>
      createHash('sha256').update(Buffer.from(bytes, 'base64')).digest('hex'),
    )
    const kept = await team.sql<{ sha256: string; action: string }>`
      select encode(sha256, 'hex') as sha256, action from browser_screenshots where run_id = ${runId} order by seq`
    // what the timeline keeps was taken with the fields covered, and it keeps nothing of the page that shows the password
    assert.equal(kept.length, 3, JSON.stringify(kept))
    assert.deepEqual(
      seen,
      kept.map(({ sha256 }) => sha256),
    )
    assert.match(asked, /No picture was taken/)
  },
)
