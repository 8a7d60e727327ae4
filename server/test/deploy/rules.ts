// The alerts, the dashboard and the rules of the adapter as files, with every expression that they ask Prometheus.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { repository } from './chart.ts'

export const monitoring = join(repository, 'deploy/monitoring')

/** Cases in which each alert is raised or not, for promtool. */
export const caseFiles = ['alerts.test.yaml', 'alerts.days.test.yaml']

export interface Alert {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

export async function readAlerts(): Promise<Alert[]> {
  const { groups } = parse(await readFile(join(monitoring, 'alerts.yaml'), 'utf8')) as { groups: { rules: Alert[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

interface Panel {
  id: number
  title: string
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; legendFormat: string }[]
}

export async function readPanels(): Promise<Panel[]> {
  const { panels } = JSON.parse(await readFile(join(monitoring, 'dashboard.json'), 'utf8')) as { panels: Panel[] }
  return panels
}

/** Where each expression stands, and what it asks. */
export async function expressions(): Promise<{ from: string; expr: string }[]> {
  const adapter = parse(await readFile(join(repository, 'deploy/helm/prometheus-adapter.yaml'), 'utf8')) as {
    rules: { external: { metricsQuery: string }[] }
  }
  return [
    ...(await readAlerts()).map(({ alert, expr }) => ({ from: alert, expr })),
    ...(await readPanels()).flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ from: title, expr }))),
    ...adapter.rules.external.map(({ metricsQuery }) => ({ from: 'the adapter', expr: metricsQuery })),
  ]
}
