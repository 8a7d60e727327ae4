// The process is killed while the page does long work: the work waits for the next process, continues where it was, and nothing is lost.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after } from 'node:test'
import { Client } from 'pg'
import type { Page } from 'playwright-core'
import { proves } from '../../server/test/kit/proves.ts'
import { startService, type Service } from '../../server/test/survival/processes.ts'
import { databaseOf } from './kit/longRun.ts'
import { needsConsole, stage } from './kit/stage.ts'

/** The process that was started last. It ends before its data are removed, so this stands before the stage. */
let running: Service | undefined
after(() => running?.stop())
const story = stage({})

/** Kills the process, waits until the page has noticed it, and starts another one at the same address. */
async function killUnder(page: Page, { baseUrl, dataDir, ...first }: Service): Promise<void> {
  await (running ?? first).stop('SIGKILL')
  await page.getByText('Reconnecting').waitFor()
  running = await startService({ dataDir, env: { PORT: new URL(baseUrl).port } })
}

/** Slow enough that a kill meets work under way: a distance in ms, and bytes a second upwards. */
async function slowDown(page: Page, latency: number, uploadThroughput: number): Promise<void> {
  const browser = await page.context().newCDPSession(page)
  await browser.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: -1,
    uploadThroughput,
  })
}

/** Work that finds nobody tries again after 1, 2, 5, 10 and then every 30 seconds. */
const patience = { timeout: 120_000 }

const doneOf = async (page: Page, work: string): Promise<number> =>
  Number(await page.getByRole('progressbar', { name: work }).getAttribute('aria-valuenow'))

/** Looks at each frame; a bar that is gone fails the story. */
async function untilDone(page: Page, work: string, least: number): Promise<number> {
  for (;;) {
    const done = await doneOf(page, work)
    if (done >= least) return done
    await page.evaluate('new Promise(requestAnimationFrame)')
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

proves(
  'console.sandboxes.resume',
  'the process is killed twice under an upload: it continues file by file, each is there whole, and what has arrived is not sent again',
  needsConsole,
  story(async ({ page, sdk, service, mayLog }) => {
    mayLog(/ERR_|Failed to load/)
    const { sandbox_id } = await sdk.sandboxes.create({})
    await page.goto(`${service.baseUrl}/sandboxes/${sandbox_id}`)
    await page.getByText('No files yet').waitFor()
    const asked: string[] = []
    page.on('request', (request) => {
      const { path } = (request.method() === 'POST' ? (request.postDataJSON() as { path?: string } | null) : null) ?? {}
      if (path !== undefined) asked.push(path)
    })
    const files = Array.from({ length: 12 }, (_, at) => ({
      name: `part-${String(at).padStart(2, '0')}.txt`,
      text: `line ${at} of a file\n`.repeat(20_000),
    }))
    await slowDown(page, 0, 400_000)
    await page
      .getByLabel('Files to upload')
      .setInputFiles(files.map(({ name, text }) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })))
    for (const least of [4, 8]) {
      const done = await untilDone(page, 'Uploading files', least)
      assert.ok(done < files.length, 'it is killed in the middle')
      await killUnder(page, service)
    }
    await page.getByText('12 files uploaded').waitFor(patience)
    const sums = (await sdk.sandboxes.exec(sandbox_id, { command: 'sha256sum *' })).stdout.trim().split('\n')
    assert.deepEqual(
      sums,
      files.map(({ name, text }) => `${hashOf(text)}  ${name}`),
    )
    const times = (name: string): number => asked.filter((path) => path === name).length
    assert.deepEqual(
      files.slice(0, 4).map(({ name }) => times(name)),
      [1, 1, 1, 1],
      'what had arrived before the first kill was sent once',
    )
  }),
)

/** Written into the table at once, ten in each millisecond. */
async function addEntries({ dataDir, teamId }: Service, count: number): Promise<string[]> {
  const client = new Client({ connectionString: databaseOf(dataDir) })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>(
      `insert into audit_log (id, team_id, created_at, credential_type, operation, request_id, status)
       select new_id(), $1, date_trunc('milliseconds', now()) - interval '1 hour' + n / 10 * interval '1 ms', 'api_key', 'createQueue', 'r' || n, 201
       from generate_series(0, $2::int - 1) n returning id`,
      [teamId, count],
    )
    return rows.map(({ id }) => id)
  } finally {
    await client.end()
  }
}

proves(
  'console.audit',
  'the process is killed twice under an export of the audit log: the file has each entry once',
  needsConsole,
  story(async ({ page, service, mayLog }) => {
    mayLog(/ERR_|Failed to load/)
    const ids = await addEntries(service, 4000)
    await page.goto(`${service.baseUrl}/people?tab=audit&operation=createQueue`)
    await page.getByText('4,000 entries, newest first').waitFor()
    await slowDown(page, 250, -1)
    await page.getByRole('button', { name: 'Export CSV' }).click()
    for (const least of [100, 2000]) {
      const done = await untilDone(page, 'Writing the audit log to a CSV file', least)
      assert.ok(done < ids.length, 'it is killed in the middle')
      await killUnder(page, service)
    }
    await page.getByText('4,000 entries in a CSV file').waitFor(patience)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save' }).click()
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\r\n')
    assert.deepEqual(
      lines
        .slice(1)
        .map((line) => line.split(',').at(-1) ?? '')
        .toSorted(),
      ids.toSorted(),
    )
  }),
)
