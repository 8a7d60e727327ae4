// Hostile pages in real Chromium: what templates, values and titles could hold, with our headers, after cleaning, and as a control bare.
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { pageHeaders } from '../src/base/page/pageHeaders.ts'
import { readPage } from '../src/base/page/readPage.ts'
import { renderPage } from '../src/base/page/renderPage.ts'
import { StepBudget } from '../src/base/stepBudget.ts'
import { inTime, within } from '../src/drivers/browser/withTimeout.ts'
import type { PagePayload } from './hostile/pagePayload.ts'
import { pagePayloads as allPayloads } from './hostile/pagePayloads.ts'
import { openStage, type Listener, type ShownPage, type Stage } from './hostile/pageStage.ts'
import { createArtifact, fenced } from './kit/artifacts.ts'
import { needsBrowser } from './kit/browser.ts'
import { isLongForm } from './kit/longForm.ts'
import { proves, provesTogether } from './kit/proves.ts'
import { drainRuns } from './kit/runs.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'

/** How many pages are shown together. */
const batchSize = 12
/** How long a page that nothing holds back may take until it is seen. */
const seenMaxMs = 30_000

const bareHeaders = { 'content-type': 'text/html; charset=utf-8' }
const documentOf = (markup: string): string => `<!doctype html><meta charset="utf-8">${markup}`

/** The short form takes few: a page costs a fifth of a second of processor time in each of five ways. */
const pagePayloads = isLongForm ? allPayloads : allPayloads.filter((_, index) => index % 40 === 0)

/** Values and artifacts take the most work for each payload, so the short form has half as many of them. */
const valuePayloads = isLongForm ? pagePayloads : pagePayloads.filter((_, index) => index % 2 === 0)

interface Tried {
  payload: PagePayload
  listener: Listener
}

/** The short form shows each page once, and every fourth in a window, which costs more than a frame. */
const shownIn = ({ only }: PagePayload, index: number): Pick<ShownPage, 'only'> =>
  isLongForm ? {} : { only: only ?? (index % 4 === 1 ? 'window' : 'frame') }

provesTogether('pages.hostile', 'a hostile page', needsBrowser, () => {
  let stage: Stage
  before(async () => {
    stage = await openStage()
  })
  after(() => stage.close())

  /** Shows a page for each payload, in batches. Returns which of them got through. */
  async function tryAll(
    payloads: PagePayload[],
    pageOf: (tried: Tried, index: number) => ShownPage,
    untilFor: (batch: Tried[]) => Promise<{ page?: ShownPage; until: () => Promise<unknown> }>,
  ): Promise<string[]> {
    const tried: Tried[] = []
    for (const payload of payloads) tried.push({ payload, listener: await stage.listen() })
    for (let start = 0; start < tried.length; start += batchSize) {
      const batch = tried.slice(start, start + batchSize)
      const { page, until } = await untilFor(batch)
      const pages = batch.map((one, index) => pageOf(one, start + index))
      await stage.show([...pages, ...(page ? [page] : [])], () => inTime(seenMaxMs, until()))
    }
    return tried.filter(({ listener }) => listener.seen.length > 0).map(({ payload }) => payload.name)
  }

  /** A page that nothing holds back is shown last: when it is seen, the others had their time. */
  async function afterAnother(): Promise<{ page: ShownPage; until: () => Promise<unknown> }> {
    const { goal, first } = await stage.listen()
    const html = documentOf(
      `<img src="${goal.url}/last"><script>fetch('${goal.url}/last', { mode: 'no-cors' })</script>`,
    )
    return { page: { html, headers: bareHeaders, only: 'window' }, until: () => first }
  }

  /** On a busy machine a click may come too early, so what was not seen is shown again. */
  async function seenBare(): Promise<Set<string>> {
    const seen = new Set<string>()
    for (let round = 0; round < 4; round += 1) {
      const left = pagePayloads.filter(({ name, inert }) => !seen.has(name) && (inert === undefined || round === 0))
      const names = await tryAll(
        left,
        ({ payload, listener }, index) => ({
          html: documentOf(payload.html(listener.goal)),
          headers: bareHeaders,
          only: payload.only ?? 'window',
          ...shownIn(payload, index),
        }),
        async (batch) => {
          const firsts = batch
            .filter(({ payload }) => payload.inert === undefined)
            .map(({ listener }) => listener.first)
          return { until: () => within(6000, Promise.all(firsts), undefined) }
        },
      )
      for (const name of names) seen.add(name)
    }
    return seen
  }

  proves('pages.hostile', 'gets through where nothing holds it back', async (t) => {
    const seen = await seenBare()
    t.diagnostic(`${seen.size} of ${pagePayloads.length} payloads act in this Chromium`)
    const acting = pagePayloads.filter(({ inert }) => inert === undefined).map(({ name }) => name)
    assert.deepEqual([...seen].toSorted(), acting.toSorted())
    assert.ok(seen.size >= pagePayloads.length * 0.8)
  })

  proves('pages.hostile', 'sends nothing under our headers alone, though nothing of it was cleaned', async (t) => {
    const stopped = pagePayloads.filter(({ onlyCleaned }) => onlyCleaned === undefined)
    const seen = await tryAll(
      stopped,
      ({ payload, listener }, index) => ({
        html: documentOf(payload.html(listener.goal)),
        headers: pageHeaders(),
        ...shownIn(payload, index),
      }),
      afterAnother,
    )
    t.diagnostic(`${stopped.length} payloads; no header stops the other ${pagePayloads.length - stopped.length}`)
    assert.deepEqual(seen, [])
  })

  const at = new Date('2026-01-02T03:04:05Z')
  const rendered = (template: string, data: unknown, title: string): string =>
    renderPage(readPage(template).page, { data, title, at, budget: new StepBudget(5_000_000) }).html

  proves('pages.hostile', 'sends nothing once it was cleaned, even as a file without headers', async (t) => {
    let refused = 0
    const seen = await tryAll(
      pagePayloads,
      ({ payload, listener }, index) => {
        const template = payload.html(listener.goal)
        if (readPage(template).problems.length > 0) refused += 1
        // what is refused is shown all the same, as what is left of it
        return { html: rendered(template, {}, 'Cleaned'), headers: bareHeaders, ...shownIn(payload, index) }
      },
      afterAnother,
    )
    t.diagnostic(`${refused} of ${pagePayloads.length} templates are refused when they are saved`)
    assert.deepEqual(seen, [])
  })

  proves('pages.hostile', 'sends nothing as a value or a title', async () => {
    const template = `<h1>{{ data.value }}</h1><p title="{{ data.value }}" class="{{ data.value }}">{{ data.value }}</p>
      <ul><li each="url in data.urls"><a href="{{ url }}" data-click>{{ url }}</a><img src="{{ url }}" alt="{{ url }}"></li></ul>
      <svg viewBox="0 0 9 9"><text y="9" fill="{{ data.value }}">{{ data.value }}</text></svg>
      <big-number value="{{ data.value }}" label="{{ data.value }}" unit="{{ data.value }}"></big-number>
      <bar-chart rows="{{ data.rows }}" x="name" y="count"></bar-chart><data-table rows="{{ data.rows }}"></data-table>
      <script type="application/json" id="values">{"value": {{ data.value }}, "text": "{{ data.value }}"}</script>`
    assert.deepEqual(readPage(template).problems, [])
    const seen = await tryAll(
      valuePayloads,
      ({ payload, listener: { goal } }, index) => {
        const value = payload.html(goal)
        const code = `fetch('${goal.url}/url', { mode: 'no-cors' })`
        const urls = index === 0 ? hostileUrls(code, goal.url) : [`javascript:${code}`]
        const data = { value, urls, rows: [{ name: value, count: 1 }, { name: 'b', count: value }, { [value]: value }] }
        return { html: rendered(template, data, value), headers: bareHeaders, ...shownIn(payload, index) }
      },
      afterAnother,
    )
    assert.deepEqual(seen, [])
  })

  proves('pages.hostile', 'is refused as an artifact, or shows nothing but itself by its public URL', async (t) => {
    const service = await testApp()
    const team = await seedTeam(service)
    const origin = await service.listen()
    const asked: string[] = []
    service.app.server.on('request', ({ url }: { url?: string }) => asked.push(url ?? ''))
    const tried: Tried[] = []
    for (const payload of valuePayloads) tried.push({ payload, listener: await stage.listen() })
    const step = fenced('tool name=artifact_read id=page', '{}')
    const made: string[] = []
    let refused = 0
    for (const { payload, listener } of tried) {
      const html = payload.html(listener.goal)
      const template = await team.call('POST /v2/artifacts', { body: { message: `${step}\n${fenced('html', html)}` } })
      if (template.status === 400) refused += 1
      else made.push(template.body.artifact_id)
      const shows = fenced('html', '<p title="{{ data.page.title }}">{{ data.page.title }}</p>')
      // a title is short
      const title = html.slice(0, 120)
      made.push(await createArtifact(team, { message: `${html}\n\n${step}\n${shows}`, title }))
    }
    await drainRuns(service)
    const urls = await Promise.all(
      made.map(async (id) => {
        const { body } = await team.call(`POST /v2/artifacts/${id}/publish`, { body: { visibility: 'public' } })
        return String(body.public_url)
      }),
    )
    for (const url of urls) assert.equal((await service.call(`GET ${url.slice(origin.length)}`)).status, 200)
    t.diagnostic(`${refused} of ${tried.length} templates are refused, ${urls.length} artifacts are shown`)
    for (let start = 0; start < urls.length; start += batchSize) {
      const { page, until } = await afterAnother()
      await stage.visit(urls.slice(start, start + batchSize), [page], () => inTime(seenMaxMs, until()))
    }
    assert.deepEqual(
      tried.filter(({ listener }) => listener.seen.length > 0).map(({ payload }) => payload.name),
      [],
    )
    assert.deepEqual(asked.toSorted(), urls.map((url) => url.slice(origin.length)).toSorted())
    const { headers, body } = await team.call(`GET /v2/artifacts/${made.at(-1)}/messages`)
    assert.deepEqual(
      [headers['content-type'], headers['x-content-type-options']],
      ['application/json; charset=utf-8', 'nosniff'],
    )
    assert.ok(body.data[0].content.includes('<'), 'a message is only ever data')
  })
})

/** URLs that no link may lead to when it is clicked, nor an image show. */
const hostileUrls = (code: string, url: string): string[] => [
  `javascript:${code}`,
  ` JaVaScRiPt:${code}`,
  `java\tscript:${code}`,
  `\u0001javascript:${code}`,
  `data:text/html,<script>${code}</script>`,
  `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"><script>${code}</script><image href="${url}/svg"/></svg>`,
  `blob:${url}/x`,
  `vbscript:${code}`,
  `view-source:${url}`,
  `//${url.slice('http://'.length)}/relative`,
]
