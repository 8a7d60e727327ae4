// The console as a person has it: a real service, a real Chromium, one window for each story. A story fails if its window logged an error,
// broke the policy or asked another origin.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { Runyard } from '../../../sdk/src/index.ts'
import { createLog } from '../../../server/src/base/log.ts'
import { accountForChromium } from '../../../server/src/drivers/browser/chromiumProcess.ts'
import { launchChromium } from '../../../server/src/drivers/browser/launchChromium.ts'
import { needsBrowser } from '../../../server/test/kit/browser.ts'
import { preparedDataDir, startService, type Service } from '../../../server/test/survival/processes.ts'
import { needsBundler } from './needsBundler.ts'
import { watchPage, type Watch } from './watchPage.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Without Chromium, or where the console cannot be built, stories are skipped and say why. */
export const needsConsole = { skip: needsBrowser.skip || needsBundler.skip }

export interface Told {
  page: Page
  /** As the first admin, who is also signed in. */
  sdk: Runyard
  service: Service
  /** An error that belongs to the story, such as the refusal of a request, is no failure, in any of its windows. */
  mayLog: Watch['mayLog']
  /** Another window with cookies of its own, watched like the first. */
  open: (opening?: Opening) => Promise<Page>
}

export interface Opening {
  /** Where to begin; `/` without it. */
  path?: string
  /** Whose key the link is made with; the first admin's without it. `null`: nobody signs in. */
  key?: string | null
  theme?: 'light' | 'dark'
  size?: { width: number; height: number }
}

type Story = (told: Told) => Promise<void>

/**
 * One service and one browser for all stories of a file. What it returns makes a test of a story:
 * `proves('console.…', 'sentence', needsConsole, story(async ({ page }) => { … }))`.
 */
export function stage(
  settings: Record<string, string> = {},
): (story: Story, opening?: Opening) => (t: TestContext) => Promise<void> {
  let open: Awaited<ReturnType<typeof openStage>> | undefined
  before(async () => {
    if (needsConsole.skip === false) open = await openStage(settings)
  })
  after(() => open?.close())
  return (story, opening) => async (t) => {
    assert.ok(open)
    await tell(open, t, story, opening)
  }
}

export async function buildConsole(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, 'scripts/buildConsole.mjs')])
}

/** The same for a script: it is closed by whoever opened it. */
export async function openStage(settings: Record<string, string>) {
  await buildConsole()
  const dataDir = await preparedDataDir()
  const log = createLog('warn')
  const [service, running] = await Promise.all([
    startService({ dataDir: dataDir.path, env: settings }),
    launchChromium({ cacheDir: join(root, '.runyard/browser'), account: accountForChromium(), log }),
  ])
  return {
    service,
    dataDir: dataDir.path,
    browser: running.browser,
    async close() {
      await running.process.end()
      await service.stop()
      await dataDir.remove()
    },
  }
}

async function tell(
  { service, browser }: { service: Service; browser: Browser },
  t: TestContext,
  story: Story,
  opening: Opening = {},
): Promise<void> {
  const windows: { page: Page; watch: Watch }[] = []
  const allowed: RegExp[] = []
  const open = async (wanted: Opening = {}): Promise<Page> => {
    const page = await newWindow(browser, wanted)
    const watch = watchPage(page, service.baseUrl)
    for (const what of allowed) watch.mayLog(what)
    windows.push({ page, watch })
    await enter(page, service, wanted)
    return page
  }
  try {
    const page = await open(opening)
    const sdk = new Runyard({ apiKey: service.key, baseUrl: service.baseUrl })
    await story({
      page,
      sdk,
      service,
      mayLog(what) {
        allowed.push(what)
        for (const { watch } of windows) watch.mayLog(what)
      },
      open,
    })
    assert.deepEqual(
      windows.flatMap(({ watch: each }) => each.problems()),
      [],
      'what went wrong in the window',
    )
  } catch (error) {
    for (const [at, { page, watch }] of windows.entries()) t.diagnostic(await lastSeen(t, at, page, watch))
    throw error
  } finally {
    await Promise.all(windows.map(({ page }) => page.context().close()))
  }
}

/** Everything in it is the same on every machine: size, language, zone. Only 127.0.0.1 can be reached. */
export async function newWindow(browser: Browser, { theme = 'light', size }: Opening): Promise<Page> {
  const options: BrowserContextOptions = {
    proxy: { server: 'http://127.0.0.1:9', bypass: '127.0.0.1' },
    viewport: size ?? { width: 1280, height: 800 },
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  }
  const context = await browser.newContext(options)
  context.setDefaultTimeout(15_000)
  return context.newPage()
}

/** By a link that works once, as `runyard open` prints it. The console takes it at any path. */
export async function enter(page: Page, service: Service, { path = '/', key = service.key }: Opening): Promise<void> {
  if (key === null) {
    await page.goto(`${service.baseUrl}${path}`)
    return
  }
  const { url } = await new Runyard({ apiKey: key, baseUrl: service.baseUrl }).sessions.createLink({})
  const signedIn = page.waitForResponse((answer) => answer.url().endsWith('/auth/sign-in'))
  await page.goto(`${service.baseUrl}${path}${new URL(url).hash}`)
  assert.equal((await signedIn).status(), 204)
}

/** What a failed story leaves to look at: where it was, what was logged, and a picture. */
async function lastSeen(t: TestContext, at: number, page: Page, watch: Watch): Promise<string> {
  const folder = join(root, 'node_modules/.cache/console-failures')
  const picture = join(folder, `${t.name.replaceAll(/\W+/g, '-').slice(0, 80)}-${at + 1}.png`)
  await mkdir(folder, { recursive: true })
  const isDrawn = await page.screenshot({ path: picture, timeout: 5000 }).then(
    () => `picture: ${picture}`,
    (error: unknown) => `no picture: ${String(error)}`,
  )
  return [`window ${at + 1} at ${page.url()}`, isDrawn, ...watch.all()].join('\n')
}
