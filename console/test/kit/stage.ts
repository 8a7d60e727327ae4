// The console as a person has it: a real service, a real Chromium, one window for each story. A story fails if its window logged an error,
// broke the policy or asked another origin.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { Runyard } from '../../../sdk/src/index.ts'
import { sqlOn } from '../../../server/src/base/db.ts'
import { createLog } from '../../../server/src/base/log.ts'
import { accountForChromium } from '../../../server/src/drivers/browser/chromiumProcess.ts'
import { launchChromium } from '../../../server/src/drivers/browser/launchChromium.ts'
import { issueApiKey } from '../../../server/src/features/credentials/apiKey.ts'
import { createTeam } from '../../../server/src/features/teams/team.ts'
import { needsBrowser } from '../../../server/test/kit/browser.ts'
import { onlyInLongForm } from '../../../server/test/kit/longForm.ts'
import { preparedDataDir, startService, type Service } from '../../../server/test/survival/processes.ts'
import { keep, takeKept, usualSize, type KeptWindow } from './keptWindow.ts'
import { databaseOf } from './longRun.ts'
import { needsBundler } from '../../../server/test/kit/needsBundler.ts'
import { watchPage, type Watch } from './watchPage.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Without Chromium, or where the console cannot be built, stories are skipped and say why. */
export const needsConsole = { skip: needsBrowser.skip || needsBundler.skip }

/** npm test tells the main story of each screen, and npm run test:console all of them. */
export const needsLongConsole = { skip: needsConsole.skip || onlyInLongForm.skip }

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

type Stage = Awaited<ReturnType<typeof openStage>>

/**
 * What it returns makes a test of a story: `proves('console.…', 'sentence', needsConsole, story(async ({ page }) => { … }))`.
 *
 * Files that share a process share one service and one browser, and each has a team of its own. A file that needs other settings, or stops its
 * service, has its own (`settings`), and is named `*.alone.test.ts`.
 */
export function stage(
  settings?: Record<string, string>,
): (story: Story, opening?: Opening) => (t: TestContext) => Promise<void> {
  // opened when the first story is told: a file may have none in the short form
  let own: Promise<Stage> | undefined
  if (settings === undefined) commonStage.files += 1
  after(async () => (settings === undefined ? leaveCommonStage() : (await own)?.close()))
  return (story, opening) => async (t) => {
    own ??= settings === undefined ? onCommonStage() : openStage(settings)
    await tell(await own, t, story, opening)
  }
}

/** Receivers and servers that stories start are on this machine; what a receiver refuses is given up after the second attempt. */
export const onThisMachine = { RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1', RUNYARD_WEBHOOK_SCHEDULE: '0,0' }

/** Of this process. Every file of it is loaded before the first story is told, so the last one that leaves is known. */
const commonStage: { files: number; opened?: Promise<Stage> } = { files: 0 }

/** The team of each file may look at the whole installation: only one of them is the oldest. */
const commonSettings = { ...onThisMachine, RUNYARD_SYSTEM_TEAMS: '*' }

async function onCommonStage(): Promise<Stage> {
  const common = await (commonStage.opened ??= openStage(commonSettings))
  return { ...common, service: { ...common.service, ...(await newTeam(common.dataDir)) } }
}

async function leaveCommonStage(): Promise<void> {
  commonStage.files -= 1
  if (commonStage.files === 0) await (await commonStage.opened)?.close()
}

/** As `runyard team create` and `runyard key create` make them. */
async function newTeam(dataDir: string): Promise<Pick<Service, 'teamId' | 'key'>> {
  const client = new Client({ connectionString: databaseOf(dataDir) })
  await client.connect()
  try {
    const sql = sqlOn(client)
    const { teamId, memberId } = await createTeam(sql, { name: 'Stories', memberName: 'Admin' })
    const { secret } = await issueApiKey(sql, { teamId, memberId, name: 'First key', scopes: ['*'] })
    return { teamId, key: secret }
  } finally {
    await client.end()
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
    kept: {} as KeptWindow,
    async close() {
      await running.process.end()
      await service.stop()
      await dataDir.remove()
    },
  }
}

async function tell(
  { service, browser, kept }: Pick<Stage, 'service' | 'browser' | 'kept'>,
  t: TestContext,
  story: Story,
  opening: Opening = {},
): Promise<void> {
  const windows: { page: Page; watch: Watch }[] = []
  const allowed: RegExp[] = []
  const show = async (page: Page, wanted: Opening): Promise<Page> => {
    const watch = watchPage(page, service.baseUrl)
    for (const what of allowed) watch.mayLog(what)
    windows.push({ page, watch })
    await enter(page, service, wanted)
    return page
  }
  const open = async (wanted: Opening = {}): Promise<Page> => show(await newWindow(browser, wanted), wanted)
  try {
    const page = await show(takeKept(kept, opening) ?? (await newWindow(browser, opening)), opening)
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
    await keep(kept, page, opening, `${service.baseUrl}/healthz`)
  } catch (error) {
    for (const [at, { page, watch }] of windows.entries()) t.diagnostic(await lastSeen(t, at, page, watch))
    throw error
  } finally {
    const left = windows.filter(({ page }) => page !== kept.page)
    await Promise.all(left.map(({ page }) => page.context().close()))
  }
}

/** Everything in it is the same on every machine: size, language, zone. Only 127.0.0.1 can be reached. */
export async function newWindow(browser: Browser, { theme = 'light', size }: Opening): Promise<Page> {
  const options: BrowserContextOptions = {
    proxy: { server: 'http://127.0.0.1:9', bypass: '127.0.0.1' },
    viewport: size ?? usualSize,
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  }
  const context = await browser.newContext(options)
  // only a bound for what never comes: on a busy machine the service, the browser and this process each may stand still for seconds
  context.setDefaultTimeout(60_000)
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

/**
 * The stream of events tells of what happens from when it is open: something that a story does elsewhere before that is seen when the page asks
 * again, which may be much later.
 */
export const untilLive = (page: Page): Promise<void> => page.getByText('Live', { exact: true }).waitFor()

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
