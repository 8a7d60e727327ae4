// Usage as a CSV file: by day, by agent, or by model and agent.
import type { BillingUsage, ModelUsage } from '@runyard/sdk'
import { csvBegin, csvLine } from '../runs/csv.ts'

export const csvKinds = ['day', 'agent', 'model'] as const
export type CsvKind = (typeof csvKinds)[number]

export function usageCsv(kind: CsvKind, usage: BillingUsage, models: ModelUsage[]): string {
  const rows: Record<CsvKind, () => object[]> = {
    day: () => usage.by_day,
    agent: () => usage.by_agent,
    model: () => models,
  }
  return csvOfRows(columns[kind], rows[kind]())
}

const columns: Record<CsvKind, string[]> = {
  day: ['day', 'runs', 'active_seconds', 'tokens', 'cost_usd'],
  agent: ['agent_id', 'agent_name', 'is_artifact', 'runs', 'active_seconds', 'tokens', 'cost_usd'],
  model: [
    'model',
    'agent_id',
    'agent_name',
    'is_artifact',
    'calls',
    'input_tokens',
    'output_tokens',
    'tokens',
    'cost_usd',
  ],
}

const csvOfRows = (names: string[], rows: object[]): string =>
  csvBegin +
  csvLine(names) +
  rows
    .map((row) => csvLine(names.map((name) => (row as Record<string, string | number | boolean | null>)[name])))
    .join('')
