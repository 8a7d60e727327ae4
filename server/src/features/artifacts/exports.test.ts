// An artifact as a file: each kind is whole, has a name, and says what the page says.
import assert from 'node:assert/strict'
import { createArtifact, fenced } from '../../../test/kit/artifacts.ts'
import { needsBrowser } from '../../../test/kit/browser.ts'
import { drainRuns } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const message = [
  fenced('tool name=operations_runs id=runs', '{"by": "status", "last": "24h"}'),
  fenced(
    'html',
    '<h2>Of today</h2>\n<table><tr><th>Runs</th></tr><tr><td>{{ data.runs.totals.runs }}</td></tr></table>',
  ),
].join('\n')
const id = await createArtifact(team, { message, title: 'Zahlen & Übersicht' })
await drainRuns(service)

const exported = (kind: string, theme = '') => team.call(`GET /v2/artifacts/${id}/export/${kind}${theme}`)

proves('artifacts.export', 'html, csv, xlsx and md are files that need nothing else', async () => {
  const types = { html: 'text/html', csv: 'text/csv', md: 'text/markdown', xlsx: 'application/vnd.openxmlformats' }
  for (const [kind, type] of Object.entries(types)) {
    const file = await exported(kind)
    assert.equal(file.status, 200, kind)
    assert.ok(file.headers['content-type']?.startsWith(type), kind)
    assert.match(file.headers['content-disposition'] ?? '', new RegExp(`^attachment; .*\\.${kind}`))
    if (kind !== 'xlsx') assert.match(file.text, /Runs/)
  }
  assert.match((await exported('html')).text, /<meta http-equiv="content-security-policy"/i)
  assert.deepEqual([...(await exported('xlsx')).bytes.subarray(0, 2)], [0x50, 0x4b])
})

proves('artifacts.export', 'a PDF is light, or dark where that is asked for', needsBrowser, async () => {
  const [light, asked, dark] = [
    await exported('pdf'),
    await exported('pdf', '?theme=light'),
    await exported('pdf', '?theme=dark'),
  ]
  for (const file of [light, asked, dark]) {
    assert.deepEqual(
      [file.status, file.headers['content-type'], file.text.slice(0, 5)],
      [200, 'application/pdf', '%PDF-'],
    )
  }
  assert.notEqual(dark.bytes.length, light.bytes.length)
  assert.equal(asked.bytes.length, light.bytes.length)
})

proves('artifacts.export', 'a PDF without a browser is refused with the reason', async () => {
  const without = await testApp({ config: { cdpUrl: 'http://127.0.0.1:9' } })
  const other = await seedTeam(without)
  const made = await createArtifact(other)
  await drainRuns(without)
  const refused = await other.call(`GET /v2/artifacts/${made}/export/pdf`)
  assert.equal(refused.status, 409, refused.text)
})
