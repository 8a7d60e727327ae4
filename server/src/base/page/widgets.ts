// Draws the elements of our own: charts, tables and big numbers.
import { textOf } from '../expression/text.ts'
import { payFor } from '../valueSize.ts'
import type { StepBudget } from '../stepBudget.ts'
import { barChart } from './barChart.ts'
import { bigNumber } from './bigNumber.ts'
import { chartData, type ChartText } from './chartData.ts'
import { emptyFrame } from './chartFrame.ts'
import { dataTable } from './dataTable.ts'
import type { DrawnElement } from './drawn.ts'
import { numberOf } from './figures.ts'
import { lineChart } from './lineChart.ts'
import { columnKinds, type ColumnKind } from './pageTable.ts'
import type { WidgetName } from './pageTemplate.ts'
import { readColumns, rowsOf, unknownColumns, type Row } from './rows.ts'

/** How many rows a chart, a table or each= shows. */
export const rowsMax = 1000
/** How many steps a row of a chart costs. */
const stepsOfPoint = 40
const heights = { min: 80, max: 800, usual: 220 }

/** The values of the attributes by name. */
type WidgetValues = ReadonlyMap<string, unknown>

interface Remarks {
  /** Gets what the page says about rows that are left out. */
  note: (text: string) => void
  /** Gets what the writer of the page should know. */
  report: (message: string) => void
}

export function drawWidget(
  name: WidgetName,
  values: WidgetValues,
  budget: StepBudget,
  { note, report }: Remarks,
): DrawnElement {
  const text = (key: string): string => {
    const value = values.get(key) ?? null
    if (Array.isArray(value)) return value.map(textOf).join(', ')
    return value === null ? '' : textOf(value).slice(0, 2000)
  }
  const kind = columnKinds.find((one) => one === text('kind'))
  // rows that are not shown cost nothing
  for (const [key, value] of values) if (key !== 'rows') payFor(value, budget)
  if (name === 'big-number') {
    const plain = {
      value: values.get('value') ?? null,
      label: text('label'),
      unit: text('unit'),
      kind: kind ?? 'number',
    }
    return bigNumber({
      ...plain,
      change: values.get('change') ?? null,
      before: values.get('before') ?? null,
      good: text('good'),
    })
  }
  const limit = Math.min(rowsMax, Math.max(1, Math.floor(numberOf(values.get('limit')) ?? rowsMax)))
  const { rows, total } = rowsOf(values.get('rows') ?? null, limit)
  payFor(rows, budget)
  const left =
    total === rows.length ? '' : `${rows.length.toLocaleString('en')} of ${total.toLocaleString('en')} rows are shown.`
  const title = text('title')
  if (rows.length === 0) return emptyFrame(title, text('empty') || 'No data yet')
  const named = ['x', 'y', 'columns'].flatMap((key) => readColumns(text(key)).map((column) => column.key))
  budget.spend(named.length * rows.length)
  const unknown = unknownColumns(text('series') === '' ? named : [...named, text('series')], rows)
  if (unknown !== undefined) report(`<${name}>: ${unknown}`)
  if (name === 'data-table') return dataTable(rows, text('columns'), title, left)
  if (left !== '') note(`${title === '' ? 'A chart' : title}: ${left}`)
  return drawChart(name, rows, text, kind, values, budget)
}

function drawChart(
  name: Exclude<WidgetName, 'big-number' | 'data-table'>,
  rows: Row[],
  text: (key: string) => string,
  kind: ColumnKind | undefined,
  values: WidgetValues,
  budget: StepBudget,
): DrawnElement {
  const asked: ChartText = {
    x: text('x'),
    y: text('y'),
    series: text('series'),
    title: text('title'),
    kind,
    unit: text('unit'),
    colors: text('colors'),
  }
  budget.spend(rows.length * stepsOfPoint)
  const data = chartData(rows, asked)
  const hasValues = data.series.some(({ values: all }) => all.some((value) => value !== null))
  if (!hasValues) return emptyFrame(data.title, text('empty') || 'No data yet')
  const height = Math.min(heights.max, Math.max(heights.min, numberOf(values.get('height')) ?? heights.usual))
  const isStacked = values.has('stacked') && !['false', 'null'].includes(text('stacked'))
  if (name === 'bar-chart') return barChart(data, { height, isStacked, direction: text('direction') })
  return lineChart(data, { height, isArea: name === 'area-chart', isStacked })
}
