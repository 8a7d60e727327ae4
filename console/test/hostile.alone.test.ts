// Texts of strangers in every place of the page where it shows one: nothing of them runs, and nothing is asked of another server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import type { Runyard } from '../../sdk/src/index.ts'
import { isLongForm } from '../../server/test/kit/longForm.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { hostileTexts } from './kit/hostileTexts.ts'
import { needsConsole, stage } from './kit/stage.ts'

const story = stage()

/** Hears whatever gets through: a proxy for every other host, and a host itself. */
async function listener() {
  let heard = 0
  const server = createServer((_request, response) => {
    heard += 1
    response.end()
  })
  server.on('connect', (_request, socket) => {
    heard += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, heard: () => heard, close: () => server.close() }
}

const quoted = (text: string): string => JSON.stringify(text)

/** Each text becomes the title, the message and the result of a run, and the name and a value of a case. */
async function plantTexts(sdk: Runyard, texts: string[]): Promise<string[]> {
  const { agent_id } = await sdk.agents.create({
    name: (texts[0] ?? '').slice(0, 90),
    description: texts[1] ?? '',
    build: { config: { version: 'v2', data: { input: '```output\n{{ message }}\n```' } } },
  })
  const { queue_id } = await sdk.queues.create({ name: 'Strangers' })
  return Promise.all(
    texts.map(async (text) => {
      const title = text.slice(0, 280)
      const [{ run_id }] = await Promise.all([
        sdk.runs.start({ agent_id, title, message: { text, [text.slice(0, 60)]: text } }),
        sdk.cases.create(queue_id, { case: { title, data: JSON.stringify({ text }) } }),
      ])
      return run_id
    }),
  )
}

/** JSON in a block, where two braces would be a value. */
const asWritten = (value: object): string => JSON.stringify(value).replaceAll('{{', '\\{{')

/** All texts in one request, as Markdown, in its options, and as arguments of an exact action; and as names of files. */
async function plantRequest(sdk: Runyard, texts: string[]): Promise<string> {
  const files = texts.map(
    (text, at) =>
      `\`\`\`tool name=sandbox_write_file\n${asWritten({ path: `in/${at} ${text.replaceAll(/[/\\\p{Cc}\p{Zl}\p{Zp}]/gu, '|').slice(0, 60)}`, content: text })}\n\`\`\``,
  )
  const said = texts.map((text) => text.replaceAll('`', '')).join('\n\n')
  const input = [...files, '```approve\nPay?\n{{ message.said }}\n```'].join('\n\n')
  const { agent_id } = await sdk.agents.create({
    name: 'Asks with texts of strangers',
    build: { config: { version: 'v2', data: { input } } },
  })
  const { id, status, error } = await sdk.runs.startAndWait({ agent_id, message: { said } }, { timeoutMs: 120_000 })
  assert.equal(status, 'waiting', error?.message)
  return id
}

/** What only HTML of a stranger can have made. */
const strangeElements = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `[...document.querySelectorAll('*')].filter((element) => [...element.attributes].some(({ name }) => name.startsWith('on'))).length +
     document.querySelectorAll('script:not([src]), iframe:not([src^="blob:"]), object, embed, base, marquee').length`,
  )

proves(
  'console.hostileText',
  'texts of strangers are shown as texts: nothing runs, nothing is asked elsewhere',
  needsConsole,
  (t) =>
    story(async ({ page, sdk, service }) => {
      const trap = await listener()
      try {
        const all = hostileTexts(`${trap.url}/told`)
        const texts = isLongForm ? all : all.filter((_, at) => at % 10 === 0)
        const runs = await plantTexts(sdk, texts)
        const asking = await plantRequest(sdk, texts)
        page.on('dialog', (dialog) => assert.fail(`a dialog said ${dialog.message()}`))
        const visited = isLongForm ? runs : runs.filter((_, at) => at % 8 === 0)
        const { agent_id } = (await sdk.runs.get(asking)).run
        const paths = [
          '/',
          '/runs',
          '/runs?page=1',
          '/inbox',
          '/agents',
          `/agents/${agent_id}?view=rendered`,
          `/runs/${asking}?step=1&detail=arguments`,
          ...['messages', 'report', 'files', 'events', 'raw'].map((tab) => `/runs/${asking}?tab=${tab}`),
          ...visited.flatMap((run) => [`/runs/${run}`, `/runs/${run}?tab=messages`]),
        ]
        for (const path of paths) {
          await page.goto(`${service.baseUrl}${path}`)
          await page.getByRole('main').first().waitFor({ state: 'attached' })
          await page.locator('[aria-busy=true]').first().waitFor({ state: 'hidden' })
          assert.equal(await strangeElements(page), 0, `${path} ${quoted(texts[0] ?? '')}`)
          assert.equal(new URL(page.url()).origin, new URL(service.baseUrl).origin)
        }
        assert.equal(trap.heard(), 0)
        t.diagnostic(
          `${texts.length} texts in ${texts.length * 8} places, ${paths.length} screens, ${trap.heard()} requests out`,
        )
      } finally {
        trap.close()
      }
    })(t),
)
