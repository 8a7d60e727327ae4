// What holds on every screen: nothing hinders anybody, everything is reached on a small screen and at double zoom, and whoever may not do
// something is told why.
import assert from 'node:assert/strict'
import type { Runyard } from '../../sdk/src/index.ts'
import { isLongForm } from '../../server/test/kit/longForm.ts'
import { proves } from '../../server/test/kit/proves.ts'
import type { Service } from '../../server/test/survival/processes.ts'
import { axe } from './kit/axe.ts'
import { everyScreen, makeScreenData, showScreen, type ScreenData } from './kit/everyScreen.ts'
import { databaseOf } from './kit/longRun.ts'
import { drawn, outOfReach } from './kit/reach.ts'
import { makeMember } from './kit/sampleData.ts'
import { startOutside } from './kit/sampleOutside.ts'
import { needsConsole, needsLongConsole, stage } from './kit/stage.ts'

const story = stage()
const servers = await startOutside()

let made: Promise<ScreenData> | undefined
/** Of the service of this file; made once. */
const screenData = (sdk: Runyard, { dataDir }: Service): Promise<ScreenData> =>
  (made ??= makeScreenData(sdk, servers, databaseOf(dataDir)))

const themes = ['light', 'dark'] as const
const parts = {
  'screen or tab': everyScreen.filter(({ act }) => act === undefined),
  'dialog, menu or list': everyScreen.filter(({ act }) => act !== undefined),
}

for (const [what, screens] of Object.entries(parts))
  proves('console.accessible', `axe finds nothing serious on any ${what}`, needsConsole, (t) =>
    story(async ({ page, sdk, service }) => {
      const data = await screenData(sdk, service)
      const found: string[] = []
      let looks = 0
      const main = screens.filter(({ isMain }) => isMain).filter((_, nth) => nth % 5 === 0)
      for (const [nth, screen] of (isLongForm ? screens : main).entries()) {
        await showScreen(page, service.baseUrl, screen, data)
        for (const theme of isLongForm ? themes : themes.slice(nth % 2, (nth % 2) + 1)) {
          await page.emulateMedia({ colorScheme: theme })
          await drawn(page)
          found.push(...(await axe(page)).map((problem) => `${screen.name}, ${theme}: ${problem}`))
          looks += 1
        }
      }
      t.diagnostic(`${looks} looks of axe`)
      assert.deepEqual(found, [])
    })(t),
  )

/** A page of 1440 by 900 at 200 % has the room of half of each. */
const smallWindows = { 'at 200 %': { width: 720, height: 450 }, 'on a phone': { width: 390, height: 844 } }
const everyday = new Set(['overview', 'a run that waits', 'inbox', 'an agent'])

proves(
  'console.small',
  'at 200 % zoom and on a phone no screen scrolls sideways, and every action is reached',
  needsConsole,
  story(async ({ page, sdk, service }) => {
    const data = await screenData(sdk, service)
    const problems: string[] = []
    const looked = everyScreen.filter(({ name, act, isMain }) =>
      isLongForm ? act === undefined || isMain : everyday.has(name),
    )
    for (const screen of looked) {
      await showScreen(page, service.baseUrl, screen, data)
      for (const [window, size] of Object.entries(smallWindows)) {
        await page.setViewportSize(size)
        await drawn(page)
        problems.push(...(await outOfReach(page)).map((problem) => `${screen.name}, ${window}: ${problem}`))
      }
    }
    assert.deepEqual(problems, [])
  }),
)

proves(
  'console.role',
  'a viewer sees every screen without a refused request, and each button that is not for them names the missing scope',
  needsLongConsole,
  story(async ({ page, sdk, service, open }) => {
    const data = await screenData(sdk, service)
    await page.close()
    const { key } = await makeMember(sdk, 'Auditor', 'viewer')
    const viewer = await open({ key })
    const silent: string[] = []
    const named = new Map<string, string>()
    for (const screen of everyScreen.filter(({ act, isMain }) => act === undefined && (isLongForm || isMain))) {
      await showScreen(viewer, service.baseUrl, screen, data)
      for (const button of await viewer.locator('button[aria-disabled=true]').all()) {
        const what = `${screen.name}: ${(await button.innerText()).replaceAll(/\s+/g, ' ')}`
        const why = await button.getAttribute('aria-description')
        if (why === null) silent.push(what)
        else named.set(what, why)
      }
    }
    assert.deepEqual(silent, [])
    const why = (what: string) => [...named].find(([button]) => button.startsWith(what))?.[1] ?? 'it can be pressed'
    assert.match(why('overview: Start run'), /^You need the scope runs:write for this\. Your role is viewer/)
    assert.match(why('a run that waits: Message'), /scope runs:write/)
    assert.match(why('a run that waits: Stop'), /scope runs:write/)
    assert.match(why('a run that waits: Approve'), /scope approvals:write/)
    assert.match(why('inbox, approval: Approve'), /scope approvals:write/)
    assert.match(why('agents: New agent'), /scope agents:write/)
    assert.match(why('connections: Connect'), /scope connections:write/)
    assert.match(why('a connection: Test'), /scope connections:write/)
    assert.match(why('members: Add a member'), /scope keys:manage/)
  }),
)
