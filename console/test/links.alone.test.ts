// The links that the machine of the service prints: each opens the console signed in, once.
import assert from 'node:assert/strict'
import { lineWith } from '../../cli/test/lines.ts'
import { inTerminal, noTerminal } from '../../cli/test/terminal.ts'
import { programFile } from '../../server/test/kit/programFile.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { main, preparedDataDir } from '../../server/test/survival/processes.ts'
import { needsConsole, stage } from './kit/stage.ts'

const story = stage()
const linkIn = (text: string): string | undefined => /http:\/\/\S+#sign-in=\w+/.exec(text)?.[0]

proves(
  'signIn.open',
  'runyard open prints a link that opens the console, and only a terminal is shown one at the start',
  needsConsole,
  story(
    async ({ page, service, mayLog }) => {
      assert.equal(linkIn(service.box), undefined)
      assert.match(service.box, /Page +http:\/\/127\.0\.0\.1:\d+\/ /)
      const env = { RUNYARD_URL: service.baseUrl, RUNYARD_API_KEY: service.key }
      const { stdout } = await lineWith(['open', '--print'], { ...env, HOME: service.dataDir })
      const url = linkIn(stdout)
      assert.ok(url)
      await page.goto('about:blank')
      await page.goto(url)
      await page.getByRole('main').waitFor()
      await page.context().clearCookies()
      mayLog(/401/)
      await page.goto('about:blank')
      await page.goto(url)
      await page.getByText('This link was used already').waitFor()
    },
    { path: '/docs/mcp', key: null },
  ),
)

proves(
  'signIn.first',
  'a start in a terminal shows a link that opens the console',
  { skip: needsConsole.skip || noTerminal },
  story(
    async ({ page, mayLog }) => {
      const dataDir = await preparedDataDir()
      const env = { ...process.env, RUNYARD_DATA_DIR: dataDir.path, PORT: '0', LOG_LEVEL: 'warn', RUNYARD_DEMO: '0' }
      const terminal = inTerminal([process.execPath, programFile(main)], env, dataDir.path)
      try {
        await terminal.shows('└')
        const url = linkIn(terminal.bytes())
        assert.ok(url, terminal.bytes())
        mayLog(new RegExp(new URL(url).host))
        await page.goto(url)
        await page.getByRole('main').waitFor()
        await page.goto('about:blank')
        terminal.type('\u0003')
        assert.equal(await terminal.exited, 0)
      } finally {
        terminal.kill()
        await dataDir.remove()
      }
    },
    { path: '/docs/mcp', key: null },
  ),
)
