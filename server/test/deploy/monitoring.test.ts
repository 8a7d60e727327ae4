// Alerts and dashboard ask only for what the service measures, and each alert has its page.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { proves } from '../kit/proves.ts'
import { testApp } from '../kit/testApp.ts'
import { repository } from './chart.ts'
import { caseFiles, expressions, monitoring, readAlerts, readPanels } from './rules.ts'

const service = await testApp()
const { text: scraped } = await service.call('GET /metrics')
const types = new Map([...scraped.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))

/** Labels that Prometheus adds, and the one that a histogram has. */
const added = ['job', 'instance', 'le']

/** The metric behind the name of a series: a histogram has three kinds of them. */
function metricOf(series: string): string | undefined {
  if (types.has(series)) return types.get(series) === 'histogram' ? undefined : series
  const base = series.replace(/_(bucket|sum|count)$/, '')
  return types.get(base) === 'histogram' ? base : undefined
}

function labelsOf(metric: string): string[] {
  const found = service.context.metrics.registry.getSingleMetric(metric) as unknown as { labelNames: string[] }
  // a label of ours that Prometheus has as well gets another name
  return found.labelNames.map((label) => (label === 'job' ? 'exported_job' : label))
}

const seriesPattern = /\b((?:runyard|nodejs|process)_\w+)(?:\{([^}]*)\})?/g

proves('monitoring.names', 'every metric that alerts, dashboard and autoscaler name is one of /metrics', async () => {
  const all = await expressions()
  assert.ok(all.length > 40)
  const unknown: string[] = []
  for (const { from, expr } of all) {
    const names = [...expr.matchAll(seriesPattern)].map(([, series = '']) => series)
    assert.ok(names.length > 0 || /\bup\b/.test(expr), from)
    for (const series of names) if (metricOf(series) === undefined) unknown.push(`${from}: ${series}`)
  }
  assert.deepEqual(unknown, [])
})

proves('monitoring.names', 'every label that they name is one of its metric', async () => {
  const unknown: string[] = []
  for (const { from, expr } of await expressions()) {
    const found = [...expr.matchAll(seriesPattern)]
    const known = new Set([...added, ...found.flatMap(([, series = '']) => labelsOf(metricOf(series)!))])
    const matched = found.flatMap(([, series = '', matchers = '']) =>
      [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => ({ series, label })),
    )
    for (const { series, label } of matched)
      if (![...added, ...labelsOf(metricOf(series)!)].includes(label)) unknown.push(`${from}: ${series} ${label}`)
    for (const [, list = ''] of expr.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of list.split(',')) if (!known.has(label.trim())) unknown.push(`${from}: by ${label}`)
  }
  assert.deepEqual(unknown, [])
})

proves('monitoring.names', 'the kinds of waiting work and the roles that they ask for are reported', async () => {
  for (const { from, expr } of await expressions()) {
    for (const [, what] of expr.matchAll(/runyard_waiting_oldest_seconds\{what="(\w+)"\}/g))
      assert.match(scraped, new RegExp(`^runyard_waiting_oldest_seconds\\{what="${what}"\\} `, 'm'), from)
    for (const [, roles = ''] of expr.matchAll(/runyard_processes\{role=~"([\w|]+)"\}/g))
      for (const role of roles.split('|'))
        assert.match(scraped, new RegExp(`^runyard_processes\\{role="${role}"\\} `, 'm'), from)
  }
})

const pageOf = (alert: string): string =>
  alert
    .replace(/^Runyard/, '')
    .replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase()

proves('monitoring.runbooks', 'each alert names a page of its own, and each page belongs to an alert', async () => {
  const alerts = await readAlerts()
  for (const { alert, annotations } of alerts)
    assert.equal(annotations.runbook, `docs/runbooks/${pageOf(alert)}.md`, alert)
  const pages = (await readdir(join(repository, 'docs/runbooks'))).filter((file) => !general.has(file))
  assert.deepEqual(
    pages.toSorted(),
    alerts.map(({ annotations }) => annotations.runbook.replace('docs/runbooks/', '')).toSorted(),
  )
})

/** Pages about operating that no alert leads to. */
const general = new Set(['README.md', 'disaster-drill.md'])

proves(
  'monitoring.runbooks',
  'a page says what the alert means, what to look at, what to do and how it ends',
  async () => {
    const index = await readFile(join(repository, 'docs/runbooks/README.md'), 'utf8')
    for (const { alert, labels, annotations } of await readAlerts()) {
      const text = await readFile(join(repository, annotations.runbook), 'utf8')
      assert.ok(text.startsWith(`# ${alert}\n`), alert)
      const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
      assert.deepEqual(headings, ['What it means', 'Look first', 'What to do', 'It is over when'], alert)
      const [, look = ''] = /^## Look first$([\s\S]*?)^## /m.exec(text) ?? []
      assert.match(look, /^```sh$/m, `${alert}: exact commands`)
      assert.ok(['critical', 'warning', 'info'].includes(labels.severity))
      assert.ok(index.includes(`[${alert}](${annotations.runbook.replace('docs/runbooks/', '')})`), alert)
    }
  },
)

proves(
  'monitoring.dashboard',
  'no panel of the dashboard lies on another, and each has a number of its own',
  async () => {
    const panels = await readPanels()
    assert.ok(panels.length > 30)
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = new Set<string>()
    for (const { title, gridPos } of panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(!cells.has(`${x} ${y}`), title)
          cells.add(`${x} ${y}`)
        }
      }
    }
  },
)

proves('monitoring.rules', 'each alert has a case in which it is raised and one in which it is not', async () => {
  interface Cases {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[]
  }
  const files = await Promise.all(caseFiles.map((file) => readFile(join(monitoring, file), 'utf8')))
  const cases = files.flatMap((text) => (parse(text) as Cases).tests.flatMap(({ alert_rule_test }) => alert_rule_test))
  const namesOf = (isRaised: boolean) =>
    new Set(cases.filter(({ exp_alerts = [] }) => exp_alerts.length > 0 === isRaised).map(({ alertname }) => alertname))
  for (const { alert } of await readAlerts()) {
    assert.ok(namesOf(true).has(alert), `${alert} is never raised`)
    assert.ok(namesOf(false).has(alert), `${alert} is always raised`)
  }
})
