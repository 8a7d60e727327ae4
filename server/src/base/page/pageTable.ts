// A table as the forms of a page without pictures have it: Markdown, CSV, spreadsheets.

export const columnKinds = ['text', 'number', 'usd', 'percent', 'duration', 'time'] as const
export type ColumnKind = (typeof columnKinds)[number]

export interface Column {
  name: string
  kind: ColumnKind
}

export interface PageTable {
  title: string
  columns: Column[]
  rows: unknown[][]
}
