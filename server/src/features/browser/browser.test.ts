// Runs that browse: a site of three pages with a form, a redirect and a download, told by a timeline with a picture of every action.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite, test } from 'node:test'
import { newId } from '../../base/ids.ts'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { needsBrowser } from '../../../test/kit/browser.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { browserOf } from '../../kit/browserOf.ts'
import { sweepScreenshots } from './sweepScreenshots.job.ts'
import { proves } from '../../../test/kit/proves.ts'

const html = (title: string, body: string): string => `<!doctype html><title>${title}</title><h1>${title}</h1>${body}`

const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  'GET /': (_request, response) =>
    response.end(
      html(
        'Order',
        '<form method=post action=/order><label>Name <input name=name></label><button>Send</button></form>',
      ),
    ),
  'POST /order': (_request, response) =>
    response.writeHead(303, { location: '/thanks', 'set-cookie': 'order=7; Path=/' }).end(),
  'GET /thanks': ({ headers }, response) =>
    response.end(
      html(
        'Thanks',
        `<p id=cookie>Cookie: ${headers.cookie ?? 'none'}</p><dl><dt>Total</dt><dd>12 €</dd></dl><a href=/invoice>Invoice</a>`,
      ),
    ),
  'GET /invoice': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="invoice.csv"' })
      .end('item,price\nbook,12\n'),
  'GET /away': (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end(),
  'GET /file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
}

const site = createServer((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  const page = answers[`${request.method} ${request.url}`]
  if (page) page(request, response)
  else response.writeHead(404).end('nothing here')
}).listen(0, '127.0.0.1')
await once(site, 'listening')
const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`

const provider = await startFakeAnthropic()
const service = await testApp({
  config: {
    allowPrivateHosts: ['127.0.0.1'],
    anthropicKey: 'sk-ant-canary-1234567890',
    anthropicUrl: provider.url,
    modelSight: { 'anthropic:blind': 'none' },
  },
})
const { context } = service
await service.listen()
after(async () => {
  await provider.close()
  site.close()
  site.closeAllConnections()
  await browserOf(context).close()
})

const block = (...lines: string[]): string => `\`\`\`browser id=web\n${lines.join('\n')}\n\`\`\`\n\n`
const output = '```output\n{{ steps.web.output }}\n```\n'

async function browse(team: TestTeam, procedure: string): Promise<{ agentId: string; runId: string }> {
  const agentId = await seedAgent(team, procedure, { plugins: ['browser', 'sandbox', 'human'] })
  const runId = await startRun(team, agentId)
  await drainRuns(service)
  return { agentId, runId }
}

const timelineOf = async (team: TestTeam, runId: string) =>
  (await team.call(`GET /v2/agent-runs/${runId}/screenshots/timeline`)).body

/** Addresses change with the hour, since they expire. */
const withoutAddresses = ({ screenshots }: { screenshots: Record<string, unknown>[] }) =>
  screenshots.map((one) => ({ ...one, image_url: null, thumbnail_url: null }))

/** Width and height of a JPEG, from its frame header (ITU T.81 §B.2.2). */
function sizeOfJpeg(bytes: Buffer): { width: number; height: number } {
  assert.equal(bytes.readUInt16BE(0), 0xffd8)
  let at = 2
  while (bytes[at + 1] !== 0xc0 && bytes[at + 1] !== 0xc2) at += 2 + bytes.readUInt16BE(at + 2)
  return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
}

/** A signed URL as a browser asks for it, without a credential. */
async function fetchImage(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

suite('a run through a form, a redirect and a download', needsBrowser, async () => {
  const team = await seedTeam(service)
  const lines = [`open ${base}/`, 'type Name = Ann Secret', 'click Send', 'read Total', 'click Invoice', 'screenshot']
  const { agentId, runId } = await browse(team, block(...lines) + output)
  const run = await readRun(team, runId)
  const timeline = await timelineOf(team, runId)

  proves(
    'browser.timeline',
    'has one picture for each action, in order, with where and when it was taken',
    async () => {
      assert.equal(run.status, 'completed', JSON.stringify(run.error))
      const told = timeline.screenshots.map(({ seq, action, url, title }: Record<string, unknown>) => [
        seq,
        action,
        url,
        title,
      ])
      assert.deepEqual(told, [
        [1, `open ${base}/`, `${base}/`, 'Order'],
        [2, 'type Name', `${base}/`, 'Order'],
        [3, 'click Send', `${base}/thanks`, 'Thanks'],
        [4, 'read Total', `${base}/thanks`, 'Thanks'],
        [5, 'click Invoice', `${base}/thanks`, 'Thanks'],
        [6, 'screenshot', `${base}/thanks`, 'Thanks'],
      ])
      const offsets: number[] = timeline.screenshots.map(({ offset_ms }: { offset_ms: number }) => offset_ms)
      assert.deepEqual(
        offsets,
        offsets.toSorted((a, b) => a - b),
      )
      assert.ok(timeline.duration_ms >= offsets.at(-1)!)
      assert.ok(!JSON.stringify(timeline).includes('Ann Secret'), 'what was typed stands in no picture’s words')
      const byAgent = await team.call(`GET /v2/agents/${agentId}/runs/${runId}/screenshots/timeline`)
      assert.deepEqual(withoutAddresses(byAgent.body), withoutAddresses(timeline))
    },
  )

  proves('browser.tools', 'gives what was read, and every page it was on', () => {
    assert.match(run.output.content, /^Total\s+12 €$/)
    assert.deepEqual(run.output.page, { number: 1, url: `${base}/thanks`, title: 'Thanks' })
    assert.deepEqual(
      run.output.lines.map(({ line }: { line: string }) => line),
      lines,
    )
  })

  proves('browser.downloads', 'has the file that it downloaded in its workspace, with an event', async () => {
    assert.deepEqual(run.output.downloads, [{ path: '/workspace/downloads/invoice.csv', size_bytes: 19 }])
    const events = await readEvents(service, runId)
    const files = events.filter(({ event }) => event === 'run.file.created').map(({ data }) => data.path)
    assert.deepEqual(files, ['/workspace/downloads/invoice.csv'])
    const [file] = await team.sql<{ text: string }>`
      select convert_from(c.bytes, 'utf8') as text from workspace_files f
      join blobs b on b.sha256 = f.sha256 join blob_chunks c on c.blob_id = b.id
      where f.team_id = ${team.id} and f.path = '/workspace/downloads/invoice.csv'`
    assert.equal(file?.text, 'item,price\nbook,12\n')
  })

  proves('browser.images', 'shows its pictures as JPEGs under addresses that need no credential', async () => {
    assert.equal(timeline.screenshots.length, 6)
    for (const { image_url, thumbnail_url, width, height } of timeline.screenshots) {
      const image = await fetchImage(image_url)
      assert.equal(image.status, 200)
      assert.deepEqual(sizeOfJpeg(image.bytes), { width, height })
      const thumbnail = await fetchImage(thumbnail_url)
      assert.deepEqual(sizeOfJpeg(thumbnail.bytes), { width: 320, height: 200 })
      assert.ok(thumbnail.bytes.length < image.bytes.length)
      const { headers } = image
      assert.deepEqual(
        ['content-type', 'x-content-type-options', 'content-security-policy'].map((name) => headers.get(name)),
        ['image/jpeg', 'nosniff', "default-src 'none'; sandbox"],
      )
      assert.match(headers.get('cache-control') ?? '', /^private, max-age=\d{4}, immutable$/)
      const again = await fetchImage(image_url, { 'if-none-match': headers.get('etag') ?? '' })
      assert.deepEqual([again.status, again.bytes.length], [304, 0])
    }
  })

  proves('browser.images', 'shows no picture to who changes an address', async () => {
    const [first, second] = timeline.screenshots
    const signature = /signature=.*/.exec(first.image_url)![0]
    const wrong = [
      first.image_url.replace(first.id, second.id),
      first.image_url.replace(
        /signature=(.)/,
        (_: string, letter: string) => `signature=${letter === 'A' ? 'B' : 'A'}`,
      ),
      first.image_url.replace(/expires=\d/, 'expires=9'),
      `${context.baseUrl()}/images/${first.id}`,
      `${first.image_url.split('?')[0]}/thumbnail?${first.image_url.split('?')[1]}`,
      `${context.baseUrl()}/images/${first.id}?expires=1&${signature}`,
    ]
    for (const url of wrong) {
      const { status, bytes } = await fetchImage(url)
      assert.equal(status, 403, url)
      assert.equal(JSON.parse(bytes.toString()).error, 'forbidden')
    }
  })

  proves('browser.pages', 'leaves a session that is closed, with its pages and no cookies', async () => {
    const { session_id } = timeline.screenshots[0]
    const { body } = await team.call(`GET /v2/browser-agent/session/${session_id}/pages`)
    assert.deepEqual([body.session_id, body.run_id, body.status, body.pages.length], [session_id, runId, 'closed', 1])
    const [page] = body.pages
    assert.deepEqual([page.url, page.title, page.active], [`${base}/thanks`, 'Thanks', false])
    assert.ok(page.closed_at)
    assert.equal((await fetchImage(page.last_screenshot_url)).status, 200)
    const [row] = await team.sql<{ state: Buffer | null }>`select state from browser_sessions where id = ${session_id}`
    assert.equal(row?.state, null)
    const other = await seedTeam(service)
    assert.equal((await other.call(`GET /v2/browser-agent/session/${session_id}/pages`)).status, 404)
  })
})

proves(
  'browser.refused',
  'a page that leads to a metadata service or to a file is refused, the run gets the reason, and a picture shows it',
  needsBrowser,
  async () => {
    const team = await seedTeam(service)
    for (const [path, said] of [
      ['/away', /Line 1 .+: "169\.254\.169\.254" is a link-local address\. Only public addresses can be called/],
      ['/file', /Line 1 .+: .*The browser opens only http and https URLs\./],
    ] as const) {
      const { runId } = await browse(team, block(`open ${base}${path}`, 'screenshot') + output)
      const run = await readRun(team, runId)
      assert.equal(run.status, 'failed')
      assert.match(run.error.message, said)
      const { screenshots } = await timelineOf(team, runId)
      assert.deepEqual(
        screenshots.map(({ action }: { action: string }) => action),
        [`open ${base}${path}`],
      )
    }
  },
)

proves(
  'browser.resumed',
  'a session waits with its run, is opened again with its cookies, and says that forms were lost',
  needsBrowser,
  async () => {
    const team = await seedTeam(service)
    const ask = '```approve id=ask\nGo on?\n```\n\n'
    const first = block(`open ${base}/`, 'type Name = Ann', 'click Send')
    const { runId } = await browse(team, first.replace('id=web', 'id=order') + ask + block('read Cookie') + output)
    const waiting = await timelineOf(team, runId)
    const { session_id } = waiting.screenshots[0]
    const pages = await team.call(`GET /v2/browser-agent/session/${session_id}/pages`)
    assert.deepEqual([pages.body.status, pages.body.pages[0].active], ['open', true])
    const [sealed] = await team.sql<{ state: Buffer }>`select state from browser_sessions where id = ${session_id}`
    assert.ok(!sealed!.state.includes('order'), 'cookies are sealed at rest')

    const [request] = (await team.call('GET /v2/teams/:teamId/human-requests?status=pending')).body.human_requests
    await team.call(`POST /v2/runs/${runId}/human-requests/${request.id}/respond`, { body: { approved: true } })
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.equal(run.status, 'completed', JSON.stringify(run.error))
    assert.equal(run.output.content, 'Cookie: order=7')
    assert.match(run.output.note, /^The browser was opened again: cookies and storage were restored/)
    const whole = await timelineOf(team, runId)
    assert.deepEqual(
      whole.screenshots.map((one: Record<string, unknown>) => [one['seq'], one['session_id'], one['page_id']]),
      [1, 2, 3, 4].map((seq) => [seq, session_id, whole.screenshots[0].page_id]),
    )
  },
)

proves('browser.isolated', 'one run’s browser does not know the cookies of another’s', needsBrowser, async () => {
  const team = await seedTeam(service)
  const procedures = [
    block(`open ${base}/`, 'type Name = Ann', 'click Send', 'read Cookie'),
    block(`open ${base}/thanks`, 'read Cookie'),
  ]
  const read: string[] = []
  for (const procedure of procedures) {
    const { runId } = await browse(team, procedure + output)
    read.push((await readRun(team, runId)).output.content)
  }
  assert.deepEqual(read, ['Cookie: order=7', 'Cookie: none'])
})

proves('browser.tools', 'a list of actions stops at the first that fails and says which', needsBrowser, async () => {
  const team = await seedTeam(service)
  const { runId } = await browse(team, block(`open ${base}/`, 'click Nowhere', 'click Send') + output)
  const { error } = await readRun(team, runId)
  assert.match(
    error.message,
    /Line 2 \(click Nowhere\): Nothing on the page is called "Nowhere"\..+The page is "Order" at /,
  )
  assert.equal((await timelineOf(team, runId)).screenshots.length, 2)
})

proves('browser.timeline', 'a run without a browser has an empty timeline', async () => {
  const team = await seedTeam(service)
  const { runId } = await browse(team, '```output\ndone\n```\n')
  const timeline = await timelineOf(team, runId)
  assert.deepEqual([timeline.run_id, timeline.screenshots], [runId, []])
  assert.ok(timeline.duration_ms >= 0)
  const other = await seedAgent(team, '```output\ndone\n```\n')
  assert.equal((await team.call(`GET /v2/agents/${other}/runs/${runId}/screenshots/timeline`)).status, 404)
})

suite('what is kept of a browser', needsBrowser, () => {
  proves('browser.retention', 'goes when it is old enough, and with its run', async () => {
    const team = await seedTeam(service)
    const { runId } = await browse(team, block(`open ${base}/`, 'screenshot') + output)
    const { screenshots } = await timelineOf(team, runId)
    await team.sql`update browser_screenshots set taken_at = now() - interval '31 days' where id = ${screenshots[0].id}`
    const { signal } = new AbortController()
    await sweepScreenshots.handler({ context, sql: team.sql, signal, input: {} })
    assert.deepEqual(
      (await timelineOf(team, runId)).screenshots.map(({ seq }: { seq: number }) => seq),
      [2],
    )
    assert.equal((await fetchImage(screenshots[0].image_url)).status, 404)
    assert.equal((await team.call(`DELETE /v2/runs/${runId}`)).status, 200)
    assert.equal((await fetchImage(screenshots[1].image_url)).status, 404)
    const [left] = await team.sql`
      select count(*) as sessions from browser_sessions where run_id = ${runId} and team_id = ${team.id}`
    assert.deepEqual(left, { sessions: 0 })
  })

  test('is not found under an id that nobody gave', async () => {
    const team = await seedTeam(service)
    assert.equal((await team.call(`GET /v2/browser-agent/session/${newId()}/pages`)).status, 404)
  })
})

proves(
  'runs.seenBrowser',
  'a model that sees gets the picture of the timeline beside the text, also of what failed, and any other the text alone',
  needsBrowser,
  async () => {
    const team = await seedTeam(service)
    const asked: Record<string, string> = {}
    for (const model of ['anthropic:claude-sonnet-4-5', 'anthropic:blind']) {
      const data = { models: { agent: { model } }, plugins: ['browser'] }
      provider.answer(
        { calls: [{ name: 'browser_open', arguments: { url: `${base}/thanks` } }] },
        { calls: [{ name: 'browser_click', arguments: { element: 'No such thing' } }] },
        { text: 'seen' },
      )
      const runId = await startRun(team, await seedAgent(team, 'Look.', data))
      await drainRuns(service)
      assert.equal((await readRun(team, runId)).output, 'seen')
      asked[model] = JSON.stringify(provider.requests.at(-1)!.body.messages)
      const pictures = await context.db.sql<{ sha256: string }>`
        select encode(sha256, 'hex') as sha256 from browser_screenshots where run_id = ${runId} order by seq`
      const sent = [...asked[model].matchAll(/"media_type":"image\/jpeg","data":"([^"]+)"/g)].map(([, bytes = '']) =>
        createHash('sha256').update(Buffer.from(bytes, 'base64')).digest('hex'),
      )
      assert.equal(pictures.length, 2)
      assert.deepEqual(sent, model === 'anthropic:blind' ? [] : pictures.map(({ sha256 }) => sha256))
      assert.match(asked[model], /Total[\s\S]*12 €/)
    }
    assert.doesNotMatch(asked['anthropic:blind']!, /picture|not_shown/)
  },
)
