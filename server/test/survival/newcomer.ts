// Proof: a newcomer clones, starts, opens the printed link, and sees the demo agent run and ask; two clicks answer it.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { createLog } from '../../src/base/log.ts'
import { accountForChromium } from '../../src/drivers/browser/chromiumProcess.ts'
import { launchChromium } from '../../src/drivers/browser/launchChromium.ts'
import { freePort } from './processes.ts'
import type { Proof } from './proof.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const coldMax = 90
const warmMax = 15

interface Visit {
  /** Seconds from the command to the link that the box prints. */
  linkS: number
  /** From the command to the run that is seen at work in the browser. */
  liveS: number
  /** From the command to its end, after the answer. */
  answeredS: number
}

/** The environment of a shell on this machine: without what npm and this program have set. */
const ownEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(RUNYARD_|npm_|NODE_(?!EXTRA_CA))/i.test(name)))

/** Only a terminal gets the link, so the command runs in one. */
function startInTerminal(folder: string, env: Record<string, string>): ChildProcess {
  const command = process.platform === 'darwin' ? ['/dev/null', 'npm', 'start'] : ['-qefc', 'npm start', '/dev/null']
  return spawn('script', command, {
    cwd: folder,
    env: { ...ownEnvironment(), TERM: 'xterm', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
}

/** The first link in what the program prints. */
function printedLink(program: ChildProcess): Promise<string> {
  let said = ''
  return new Promise((found, fail) => {
    program.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const link = /http:\/\/127\.0\.0\.1:\d+\/#sign-in=[\w-]+/.exec(said)?.[0]
      if (link !== undefined) found(link)
    })
    program.once('exit', (code) => fail(new Error(`npm start ended with ${code}:\n${said}`)))
  })
}

/** What a newcomer does: opens the link, and clicks. */
async function runTheDemo(page: Page, link: string, secondsNow: () => number): Promise<Omit<Visit, 'linkS'>> {
  await page.goto(link)
  await page.getByRole('button', { name: 'Start run' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Demo: paper order/ })
    .click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Start/ })
    .last()
    .click()
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}/)
  await page.getByRole('main').getByText('sandbox_write_file').first().waitFor({ timeout: 60_000 })
  const liveS = secondsNow()
  await page.getByRole('button', { name: /^Approve/ }).click({ timeout: 60_000 })
  await page.getByRole('main').getByText('Completed').first().waitFor({ timeout: 60_000 })
  return { liveS, answeredS: secondsNow() }
}

async function visit(browser: Browser, folder: string, env: Record<string, string>): Promise<Visit> {
  const begun = Date.now()
  const secondsNow = () => Math.round((Date.now() - begun) / 100) / 10
  const service = startInTerminal(folder, env)
  try {
    const link = await printedLink(service)
    const linkS = secondsNow()
    // Chromium is started with a proxy that each context must name; this one leads nowhere, so only this machine can be reached
    const proxy = { server: 'http://127.0.0.1:9', bypass: '127.0.0.1' }
    const page = await (await browser.newContext({ proxy })).newPage()
    return { linkS, ...(await runTheDemo(page, link, secondsNow)) }
  } finally {
    if (service.pid !== undefined && service.exitCode === null) {
      // the terminal passes it on to npm and the service
      process.kill(-service.pid, 'SIGINT')
      await once(service, 'exit')
    }
  }
}

export const newcomerProof: Proof = {
  name: 'a newcomer: git clone, npm start, the printed link, a live run, its answer by clicks',
  must: `the live run is seen within ${coldMax} s cold (with an empty npm cache) and ${warmMax} s warm`,
  async run() {
    if (spawnSync('script', ['--version']).error)
      throw new Error('this proof needs the command `script`, for a terminal')
    // the browser is there before they begin
    const { browser, process: running } = await launchChromium({
      cacheDir: join(root, '.runyard/browser'),
      account: accountForChromium(),
      log: createLog('warn'),
    })
    const place = await mkdtemp(join(tmpdir(), 'runyard-newcomer-'))
    try {
      const folder = join(place, 'runyard')
      execFileSync('git', ['clone', '-q', '--no-hardlinks', root, folder])
      const env = { PORT: String(await freePort()), npm_config_cache: join(place, 'npm') }
      const cold = await visit(browser, folder, env)
      const warm = await visit(browser, folder, env)
      return { counts: { cold, warm }, holds: cold.liveS <= coldMax && warm.liveS <= warmMax }
    } finally {
      await running.end()
      await rm(place, { recursive: true, force: true })
    }
  },
}
