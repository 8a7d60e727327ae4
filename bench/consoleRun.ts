// The page of a run of 10,000 steps in a real Chromium: how long until its steps are drawn, and how long the page is busy while one scrolls.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { makeLongRun } from '../console/test/kit/longRun.ts'
import { Runyard } from '../sdk/src/index.ts'
import { createLog } from '../server/src/base/log.ts'
import { findChromium } from '../server/src/drivers/browser/chromiumFiles.ts'
import { median, type Bed } from './interleave.ts'
import { busiestTask } from './pageTasks.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import type { Row } from './table.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const many = 10_000
const few = 40
const rounds = 5
const drawnMaxMs = 1000
const busyMaxMs = 50

export async function consoleRun(bed: Bed): Promise<Row[]> {
  await promisify(execFile)(process.execPath, [join(root, 'scripts/buildConsole.mjs')])
  const files = await findChromium({
    cacheDir: join(root, '.runyard/browser'),
    account: undefined,
    log: createLog('silent'),
  })
  const browser = await chromium.launch({ executablePath: files.executable, env: files.env, args: ['--no-sandbox'] })
  await using dataDir = await makeDataDir()
  const service = await startService(dataDir)
  try {
    const sdk = new Runyard({ apiKey: service.apiKey, baseUrl: baseUrl(service) })
    const long = await makeLongRun(sdk, service.databaseUrl, many)
    const short = await makeLongRun(sdk, service.databaseUrl, few)
    const seen = { long: [] as Seen[], short: [] as Seen[] }
    // the first round warms up the service
    for (let round = 0; round <= rounds; round++)
      for (const [name, id, steps] of [
        ['long', long, many],
        ['short', short, few],
      ] as const) {
        const one = await look(browser, service, id, steps)
        bed.tell(
          `${name}: ${Object.entries(one)
            .map(([what, ms]) => `${what} ${ms.toFixed(0)} ms`)
            .join(', ')}`,
        )
        if (round > 0) seen[name].push(one)
      }
    const of = (name: 'long' | 'short', what: keyof Seen): number => median(seen[name].map((one) => one[what]))
    return [
      drawnRow(`run of ${many} steps: its first steps are drawn after, ms`, of('long', 'drawn'), of('short', 'drawn')),
      {
        what: '  all of them are in the page after, ms',
        ours: of('long', 'complete').toFixed(0),
        floor: `${of('short', 'complete').toFixed(0)} (${few} steps)`,
      },
      {
        what: '  longest task while one scrolls through all of them, ms',
        ours: of('long', 'busiest').toFixed(0),
        floor: `0 to 50 are not told apart`,
        target: `≤ ${busyMaxMs} ms`,
        met: of('long', 'busiest') <= busyMaxMs,
      },
      {
        what: '  the same in time of the processor, which others on the machine do not lengthen, ms',
        ours: of('long', 'busiestCpu').toFixed(0),
        floor: `${of('short', 'busiestCpu').toFixed(0)} (${few} steps)`,
        target: `≤ ${busyMaxMs} ms`,
        met: of('long', 'busiestCpu') <= busyMaxMs,
      },
    ]
  } finally {
    await service.stop()
    await browser.close()
  }
}

const drawnRow = (what: string, ours: number, floor: number): Row => ({
  what,
  ours: ours.toFixed(0),
  floor: `${floor.toFixed(0)} (${few} steps)`,
  ratio: `${(ours / floor).toFixed(1)}×`,
  target: `≤ ${drawnMaxMs} ms`,
  met: ours <= drawnMaxMs,
})

const baseUrl = ({ host, port }: Service): string => `http://${host}:${port}`

interface Seen {
  drawn: number
  complete: number
  busiest: number
  busiestCpu: number
}

async function look(browser: Browser, service: Service, runId: string, steps: number): Promise<Seen> {
  const context = await signedIn(browser, service)
  try {
    const page = await context.newPage()
    await page.goto(`${baseUrl(service)}/runs/${runId}`, { waitUntil: 'commit' })
    const drawn = await page.evaluate<number>(`seen('[role=treeitem]')`)
    const complete = await page.evaluate<number>(`seen('[role=treeitem][aria-setsize="${steps}"]')`)
    // what is loaded behind the first rows is no part of scrolling
    await page.waitForLoadState('load')
    return { drawn, complete, ...(await scrolled(page)) }
  } finally {
    await context.close()
  }
}

async function scrolled(page: Page): Promise<Pick<Seen, 'busiest' | 'busiestCpu'>> {
  let busiest = 0
  const busiestCpu = await busiestTask(page, async () => {
    busiest = await page.evaluate<number>(scrollThrough)
  })
  return { busiest, busiestCpu }
}

/** By wheels of a hand first, then by the page, one frame after the other. Only tasks of more than 50 ms are told of. */
const scrollThrough = `(async () => {
  const tasks = [0]
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
  observer.observe({ entryTypes: ['longtask'] })
  const rows = document.querySelector('[role=tree]')
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  for (let at = 0; at < 120; at += 1) { rows.scrollTop += 120; await frame() }
  for (let at = 0; at < 360 && rows.scrollTop + rows.clientHeight < rows.scrollHeight - 1; at += 1) { rows.scrollTop += 760; await frame() }
  await new Promise((resolve) => setTimeout(resolve, 200))
  tasks.push(...observer.takeRecords().map(({ duration }) => duration))
  return Math.max(...tasks)
})()`

async function signedIn(browser: Browser, service: Service): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  const answer = await context.request.post(`${baseUrl(service)}/auth/sign-in`, {
    data: { api_key: service.apiKey },
    headers: { 'x-runyard-client': 'bench', origin: baseUrl(service) },
  })
  if (!answer.ok()) throw new Error(`signing in gave ${answer.status()}: ${await answer.text()}`)
  // since the beginning of the navigation, in the frame after the element is there
  await context.addInitScript(`
    window.seen = (selector) => new Promise((resolve) => {
      const look = () => {
        if (document.querySelector(selector)) requestAnimationFrame(() => resolve(performance.now()))
        else requestAnimationFrame(look)
      }
      look()
    })`)
  return context
}
