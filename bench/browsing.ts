// The browser: the first action ever, in a new process and in a new run, and one more action, with what its pictures cost.
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { createLog } from '../server/src/base/log.ts'
import { findChromium } from '../server/src/drivers/browser/chromiumFiles.ts'
import { makeAgent, startRun } from './agent.ts'
import type { Bed } from './interleave.ts'
import { at } from './latencyRows.ts'
import { query } from './pair.ts'
import { makeDataDir, startService, type DataDir, type Service } from './service.ts'
import type { Row } from './table.ts'

const actions = 25
const html =
  '<!doctype html><title>Bench</title><h1>Bench</h1>' + '<p>Some text and a <a href=/>link</a>.</p>'.repeat(40)

export async function browsing(bed: Bed): Promise<Row[]> {
  const site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html))
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  await using dataDir = await makeDataDir()
  try {
    const [ever] = await inNewProcess(dataDir, url, 1)
    const [cold, warm, next] = await inNewProcess(dataDir, url, 6)
    const bare = await bareActions(dataDir, url)
    bed.tell(`ever ${ever} ms, cold ${cold} ms, warm ${warm} ms, one more ${next} ms`)
    return rowsOf({ ever: ever!, cold: cold!, warm: warm!, next: next!, bare })
  } finally {
    site.close()
    site.closeAllConnections()
  }
}

/** Runs that open a page many times, each time as a call of its own: the first call of the first run, of the others, and a later one. */
async function inNewProcess(dataDir: DataDir, url: string, runs: number): Promise<(number | undefined)[]> {
  const service = await startService(dataDir, { env: { RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1', LOG_LEVEL: 'error' } })
  try {
    const open = `\`\`\`browser\nopen ${url}\n\`\`\`\n`
    const agentId = await makeAgent(service, `${open.repeat(actions)}\`\`\`output\ndone\n\`\`\`\n`)
    const times: number[][] = []
    for (let n = 0; n < runs; n++) times.push(await stepTimes(service, await startRun(service, agentId)))
    const firsts = times.slice(1).map(([first]) => first!)
    const later = times.slice(1).flatMap((ofRun) => ofRun.slice(5))
    return [
      times[0]![0],
      firsts.length > 0 ? at(firsts, 0.5) : undefined,
      later.length > 0 ? at(later, 0.5) : undefined,
    ]
  } finally {
    await service.stop()
  }
}

async function stepTimes(service: Service, runId: string): Promise<number[]> {
  for (let tries = 0; tries < 2400; tries++) {
    const [run] = await query<{ status: string }>(service, `select status from runs where id = '${runId}'`)
    if (run!.status === 'failed') throw new Error(`the run ${runId} failed`)
    if (run!.status === 'completed') break
    await sleep(50)
  }
  const steps = await query<{ ms: number }>(
    service,
    `select (extract(epoch from completed_at - started_at) * 1000)::float8 as ms from run_steps where run_id = '${runId}' order by seq`,
  )
  return steps.map(({ ms }) => ms)
}

/** The first ones warm up. */
const half = (values: number[]): number => at(values.slice(5), 0.5)

interface Bare {
  goto: number
  snapshot: number
  picture: number
  thumbnail: number
}

/** The same Chromium with nothing of ours: to open the page, to read it, and to take its picture. */
async function bareActions(dataDir: DataDir, url: string): Promise<Bare> {
  const account = process.getuid?.() === 0 ? { uid: 65533, gid: 65533 } : undefined
  const files = await findChromium({ cacheDir: `${dataDir.path}/browser`, account, log: createLog('silent') })
  const browser = await chromium.launch({ executablePath: files.executable, env: files.env, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const times: Record<keyof Bare, number[]> = { goto: [], snapshot: [], picture: [], thumbnail: [] }
    for (let n = 0; n < actions; n++) await timeEach(page, url, times)
    const { goto, snapshot, picture, thumbnail } = times
    return { goto: half(goto), snapshot: half(snapshot), picture: half(picture), thumbnail: half(thumbnail) }
  } finally {
    await browser.close()
  }
}

async function timeEach(page: Page, url: string, times: Record<keyof Bare, number[]>): Promise<void> {
  const clip = { x: 0, y: 0, width: 1280, height: 800, scale: 0.25 }
  const devtools = await page.context().newCDPSession(page)
  const steps: [keyof Bare, () => Promise<unknown>][] = [
    ['goto', () => page.goto(url)],
    ['snapshot', () => page.locator('body').ariaSnapshot()],
    ['picture', () => devtools.send('Page.captureScreenshot', { format: 'jpeg', quality: 70, optimizeForSpeed: true })],
    [
      'thumbnail',
      () => devtools.send('Page.captureScreenshot', { format: 'jpeg', quality: 60, optimizeForSpeed: true, clip }),
    ],
  ]
  for (const [name, step] of steps) {
    const from = performance.now()
    await step()
    times[name].push(performance.now() - from)
  }
  await devtools.detach()
}

function rowsOf(seen: { ever: number; cold: number; warm: number; next: number; bare: Bare }): Row[] {
  const { ever, cold, warm, next, bare } = seen
  const all = bare.goto + bare.snapshot + bare.picture + bare.thumbnail
  const parts = `${bare.goto.toFixed(0)} / ${bare.snapshot.toFixed(0)} / ${bare.picture.toFixed(0)} / ${bare.thumbnail.toFixed(0)}`
  return [
    { what: 'first browser action ever (Chromium is unpacked), ms', ours: ever.toFixed(0), floor: '' },
    { what: 'first browser action of a process (Chromium is started), ms', ours: cold.toFixed(0), floor: '' },
    { what: 'first browser action of a run (a new context), p50 in ms', ours: warm.toFixed(0), floor: '' },
    {
      what: 'one more action with snapshot, picture, thumbnail and its rows, p50 in ms',
      ours: next.toFixed(0),
      floor: `${all.toFixed(0)} (the same in a bare Chromium)`,
      ratio: `${(next / all).toFixed(1)}×`,
    },
    { what: '  of the bare one: open / snapshot / picture / thumbnail, ms', ours: '', floor: parts },
  ]
}
