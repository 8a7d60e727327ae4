// Long work of the page, as a person sees it: it continues after a reload, and does everything once.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { needsLongConsole, stage } from './kit/stage.ts'

const story = stage()

proves(
  'console.longWork',
  'work over many runs continues after a reload and shows what it did',
  needsLongConsole,
  story(async ({ page, sdk, mayLog }) => {
    // one of the runs is not there
    mayLog(/404/)
    const { agent_id } = await sdk.agents.create({
      name: 'Waits',
      build: { config: { version: 'v2', data: { input: '```wait\n3h\n```' } } },
    })
    const runs = await Promise.all(Array.from({ length: 9 }, () => sdk.runs.start({ agent_id })))
    const ids = runs.map(({ run_id }) => run_id)
    const { profile } = await sdk.teams.profile()
    // as it is written down while the work is under way
    const work = {
      id: 'c0ffee',
      kind: 'stopRuns',
      input: null,
      over: 'these runs',
      member: profile.id,
      total: ids.length + 1,
      left: [...ids, '00000000-0000-7000-8000-000000000000'],
      cursor: null,
      pages: 0,
      done: 0,
      failed: 0,
      problems: [],
      state: 'running',
      pace: { at: 0, done: 0 },
      keptAt: Date.now(),
    }
    await page.addInitScript((kept) => {
      if (sessionStorage.getItem('begun') === null) localStorage.setItem('runyard.work.c0ffee', kept)
      sessionStorage.setItem('begun', 'yes')
    }, JSON.stringify(work))
    await page.reload()
    const dock = page.getByRole('region', { name: 'Long work' })
    await dock.getByText('9 runs stopped').waitFor()
    assert.match(await dock.innerText(), /10 of 10\s+1 failed/)
    for (const id of ids) assert.equal((await sdk.runs.wait(id)).status, 'stopped')

    await dock.getByRole('button', { name: 'What failed' }).click()
    await page.getByRole('dialog').getByText('00000000-0000-7000-8000-000000000000').waitFor()
    await page.keyboard.press('Escape')
    await dock.getByRole('button', { name: 'Close: Stopping runs' }).click()
    await dock.waitFor({ state: 'hidden' })
    await page.reload()
    await page.getByRole('main').waitFor()
    assert.equal(await dock.count(), 0)
  }),
)
