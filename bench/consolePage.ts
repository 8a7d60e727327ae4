// The console in a real Chromium: what its first load weighs, and how long until the list of runs is drawn.
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { createLog } from '../server/src/base/log.ts'
import { findChromium } from '../server/src/drivers/browser/chromiumFiles.ts'
import { median, type Bed } from './interleave.ts'
import { startWithRuns } from './manyRuns.ts'
import { makeDataDir, type Service } from './service.ts'
import type { Row } from './table.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'console/dist')

const few = 10_000
/** BENCH_RUNS makes it smaller where time is short; the table then says so. */
const many = Number(process.env['BENCH_RUNS'] ?? 1_000_000)
const rounds = 7
const firstLoadMaxKb = 200
const drawnMaxMs = 1000

export async function consolePage(bed: Bed): Promise<Row[]> {
  await promisify(execFile)(process.execPath, [join(root, 'scripts/buildConsole.mjs')])
  const files = await findChromium({
    cacheDir: join(root, '.runyard/browser'),
    account: undefined,
    log: createLog('silent'),
  })
  const browser = await chromium.launch({ executablePath: files.executable, env: files.env, args: ['--no-sandbox'] })
  try {
    return await runsList(bed, browser)
  } finally {
    await browser.close()
  }
}

async function runsList(bed: Bed, browser: Browser): Promise<Row[]> {
  await using smallDir = await makeDataDir()
  await using largeDir = await makeDataDir()
  const small = await startWithRuns(bed, smallDir, few)
  try {
    const large = await startWithRuns(bed, largeDir, many)
    try {
      const rows = [await firstLoad(browser, large.service)]
      for (const { what, path } of lists) {
        const [ours, floor] = await bothDrawn(browser, [large.service, small.service], path)
        bed.tell(`${what}: ${ours.first.toFixed(0)} and ${floor.first.toFixed(0)} ms`)
        rows.push(
          drawnRow(`${what}, ${many} runs, nothing stored in the browser: drawn after, ms`, ours.first, floor.first),
          drawnRow(`  the same, opened again`, ours.again, floor.again),
        )
      }
      return rows
    } finally {
      await large.db.close()
      await large.service.stop()
    }
  } finally {
    await small.db.close()
    await small.service.stop()
  }
}

const lists = [
  { what: 'list of runs', path: '/runs' },
  { what: 'list of failed runs of a week', path: '/runs?status=failed&since=-7d' },
]

const drawnRow = (what: string, ours: number, floor: number): Row => ({
  what,
  ours: ours.toFixed(0),
  floor: `${floor.toFixed(0)} (${few} runs)`,
  ratio: `${(ours / floor).toFixed(1)}×`,
  target: `≤ ${drawnMaxMs} ms`,
  met: ours <= drawnMaxMs,
})

/** Plots are drawn by a file that comes after the list. */
const isLater = (name: string): boolean => name.startsWith('PlotCanvas')

async function firstLoad(browser: Browser, service: Service): Promise<Row> {
  const context = await signedIn(browser, service)
  try {
    const page = await context.newPage()
    await page.goto(`${baseUrl(service)}/runs`)
    await page.locator('tr[data-run]').first().waitFor()
    await page.locator('canvas').waitFor()
    const names = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))
        .map((name) => name.slice(name.lastIndexOf('/') + 1))`,
    )
    const { folder } = JSON.parse(await readFile(join(dist, 'build.json'), 'utf8')) as { folder: string }
    const kb = async (wanted: string[]): Promise<number> => {
      const sizes = await Promise.all(wanted.map((name) => gzipBytes(join(dist, folder, 'assets', name))))
      return sizes.reduce((sum, size) => sum + size, 0) / 1000
    }
    const ours = await kb(names.filter((name) => !isLater(name)))
    const later = await kb(names.filter(isLater))
    return {
      what: 'first load of the shell and the list of runs, KB of JavaScript (gzip)',
      ours: ours.toFixed(1),
      floor: `${names.length} files, then ${later.toFixed(1)} KB for the plot`,
      target: `≤ ${firstLoadMaxKb} KB`,
      met: ours <= firstLoadMaxKb,
    }
  } finally {
    await context.close()
  }
}

/** A small file is not compressed. */
async function gzipBytes(path: string): Promise<number> {
  const sizes = await Promise.all([`${path}.gz`, path].map((file) => stat(file).catch(() => undefined)))
  const found = sizes.find((size) => size !== undefined)
  if (!found) throw new Error(`the build has no ${path}`)
  return found.size
}

const baseUrl = ({ host, port }: Service): string => `http://${host}:${port}`

async function signedIn(browser: Browser, service: Service): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  const answer = await context.request.post(`${baseUrl(service)}/auth/sign-in`, {
    data: { api_key: service.apiKey },
    headers: { 'x-runyard-client': 'bench', origin: baseUrl(service) },
  })
  if (!answer.ok()) throw new Error(`signing in gave ${answer.status()}: ${await answer.text()}`)
  // from the beginning of the navigation to the frame after the first row is there
  await context.addInitScript(`
    window.drawn = new Promise((resolve) => {
      const look = () => {
        if (document.querySelector('tr[data-run]')) requestAnimationFrame(() => resolve(performance.now()))
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })`)
  return context
}

interface Drawn {
  first: number
  again: number
}

/** Both services in turn, so that whatever else the machine does meets both alike. */
async function bothDrawn(browser: Browser, services: [Service, Service], path: string): Promise<[Drawn, Drawn]> {
  const times = services.map(() => ({ first: [] as number[], again: [] as number[] }))
  for (let round = 0; round <= rounds; round++)
    for (const [at, service] of services.entries()) {
      const context = await signedIn(browser, service)
      try {
        const page = await context.newPage()
        const first = await drawn(page, `${baseUrl(service)}${path}`)
        const again = await drawn(page, `${baseUrl(service)}${path}`)
        // the first round warms up the service
        if (round === 0) continue
        times[at]?.first.push(first)
        times[at]?.again.push(again)
      } finally {
        await context.close()
      }
    }
  const [ours, floor] = times.map(({ first, again }): Drawn => ({ first: median(first), again: median(again) }))
  if (!ours || !floor) throw new Error('two services are compared')
  return [ours, floor]
}

async function drawn(page: Page, url: string): Promise<number> {
  await page.goto(url, { waitUntil: 'commit' })
  return page.evaluate<number>('window.drawn')
}
