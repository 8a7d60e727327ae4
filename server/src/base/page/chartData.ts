// The rows of a chart as points and series.
import { clockOf, dayOf, momentOf, monthOf, noValue, numberOf, shownNumber, shownValue, timeOf } from './figures.ts'
import type { ColumnKind, PageTable } from './pageTable.ts'
import { cellOf, columnsOf, kindOf, readColumns, type KeyedColumn, type Row } from './rows.ts'

export interface Series {
  name: string
  /** The name of its colour: 1 to 8, or one that the template gave. */
  color: string
  values: (number | null)[]
}

export interface ChartData {
  title: string
  /** The points in full, for tooltips and tables. */
  names: string[]
  /** The points as the axis shows them. */
  labels: string[]
  /** Where a point is along the axis, from 0 to 1, if the axis is one of times or numbers. */
  positions: number[] | null
  series: Series[]
  kind: ColumnKind
  unit: string
  table: PageTable
}

export interface ChartText {
  x: string
  y: string
  series: string
  title: string
  kind: ColumnKind | undefined
  unit: string
  colors: string
}

const colorNames = new Set(['blue', 'teal', 'amber', 'red', 'violet', 'sky', 'pink', 'grey', 'green'])
/** How many series a chart shows; the rest is added up as one. */
const seriesMax = 8

export function chartData(rows: Row[], given: ChartText): ChartData {
  const columns = columnsOf('', rows)
  const [named] = readColumns(given.x)
  const x = named ??
    columns.find(({ kind }) => kind === 'time' || kind === 'text') ??
    columns[0] ?? { key: 'name', name: 'Name' }
  const xKind = kindOf(x.key, rows)
  const ys = valueColumns(rows, given, x.key, columns)
  const kind = given.kind ?? ys[0]?.kind ?? 'number'
  const { points, series } =
    given.series === '' ? wide(rows, x.key, ys) : long(rows, x.key, ys[0]?.key ?? 'value', given.series)
  const colors = given.colors.split(',').map((color) => color.trim())
  const colored = series.map(({ name, values }, index) => {
    const color = colors[index] ?? ''
    const own = name === otherName && index === seriesMax - 1 ? 'grey' : String((index % seriesMax) + 1)
    return { name, values, color: colorNames.has(color) ? color : own }
  })
  const names = points.map((point) => shownValue(point, xKind === 'time' ? 'time' : 'text'))
  const title = given.title || `${series.map(({ name }) => name).join(', ')} by ${x.name.toLowerCase()}`
  return {
    title: given.title,
    names,
    labels: labelsOf(points, names, xKind),
    positions: positionsOf(points, xKind),
    series: colored,
    kind,
    unit: given.unit,
    table: {
      title,
      columns: [
        { name: x.name, kind: xKind === 'time' ? 'time' : 'text' },
        ...series.map(({ name }) => ({ name, kind })),
      ],
      rows: points.map((point, index) => [point, ...series.map(({ values }) => values[index] ?? null)]),
    },
  }
}

/** The columns that are drawn: those that the template names, or all with numbers. */
function valueColumns(rows: Row[], { y, series, kind }: ChartText, x: string, columns: KeyedColumn[]): KeyedColumn[] {
  const named = readColumns(y).slice(0, seriesMax)
  if (named.length > 0)
    return named.map((column) => ({ ...column, kind: column.kind ?? kind ?? numeric(kindOf(column.key, rows)) }))
  return columns
    .filter((column) => column.key !== x && column.key !== series && numeric(column.kind) === column.kind)
    .slice(0, seriesMax)
}

const numeric = (kind: ColumnKind): ColumnKind => (kind === 'text' || kind === 'time' ? 'number' : kind)

interface Points {
  points: unknown[]
  series: { name: string; values: (number | null)[] }[]
}

/** One row a point, one column a series. */
function wide(rows: Row[], x: string, ys: KeyedColumn[]): Points {
  return {
    points: rows.map((row) => cellOf(row, x)),
    series: ys.map(({ key, name }) => ({ name, values: rows.map((row) => numberOf(cellOf(row, key))) })),
  }
}

const otherName = 'Other'

/** One row a point of one series, whose name is in a column. The largest series are shown, the others are added up. */
function long(rows: Row[], x: string, y: string, by: string): Points {
  const points = new Map<string, { at: number; point: unknown }>()
  const byName = new Map<string, Map<number, number>>()
  for (const row of rows) {
    const point = cellOf(row, x)
    const name = shownValue(cellOf(row, by))
    const key = shownValue(point)
    const at = points.get(key)?.at ?? points.size
    points.set(key, { at, point })
    const values = byName.get(name) ?? new Map<number, number>()
    byName.set(name, values)
    const value = numberOf(cellOf(row, y))
    if (value !== null) values.set(at, (values.get(at) ?? 0) + value)
  }
  const ranked = [...byName].sort(([, one], [, other]) => total(other) - total(one))
  const shown = ranked.length > seriesMax ? ranked.slice(0, seriesMax - 1) : ranked
  const rest = ranked.slice(shown.length)
  if (rest.length > 0) {
    const sum = new Map<number, number>()
    for (const [, values] of rest) for (const [at, value] of values) sum.set(at, (sum.get(at) ?? 0) + value)
    shown.push([otherName, sum])
  }
  const ats = [...points.values()]
  return {
    points: ats.map(({ point }) => point),
    series: shown.map(([name, values]) => ({ name, values: ats.map(({ at }) => values.get(at) ?? null) })),
  }
}

const total = (values: Map<number, number>): number =>
  [...values.values()].reduce((sum, value) => sum + Math.abs(value), 0)

const day = 86_400_000

/** Times as short as they can be told apart; other values as they are. */
function labelsOf(points: unknown[], names: string[], kind: ColumnKind): string[] {
  if (kind !== 'time') return names
  const times = points.map(timeOf).filter((time) => time !== null)
  const span = Math.max(...times) - Math.min(...times)
  const areDays = times.every((time) => time % day === 0)
  const isMonths = areDays && span > 300 * day
  return points.map((point) => {
    const time = timeOf(point)
    if (time === null) return noValue
    const at = new Date(time)
    if (isMonths) return monthOf(at)
    if (areDays) return dayOf(at)
    if (span <= 2 * day) return clockOf(at)
    return span > 300 * day ? momentOf(at) : `${dayOf(at)}, ${clockOf(at)}`
  })
}

function positionsOf(points: unknown[], kind: ColumnKind): number[] | null {
  if (kind === 'text' || points.length < 2) return null
  const values = points.map((point) => (kind === 'time' ? timeOf(point) : numberOf(point)))
  const known = values.filter((value) => value !== null)
  const [first, last] = [known[0] ?? 0, known.at(-1) ?? 0]
  const areSorted =
    known.length === values.length && known.every((value, index) => index === 0 || value > known[index - 1]!)
  return areSorted && Number.isFinite(last - first) ? known.map((value) => (value - first) / (last - first)) : null
}

/** The tooltip of a point. */
export function pointText({ names, series, kind, unit }: ChartData, at: number): string {
  const lines = series.map(({ name, values }) => {
    const value = values[at] ?? null
    const shown = value === null ? noValue : `${shownNumber(value, kind, false)}${unit === '' ? '' : ` ${unit}`}`
    return series.length === 1 ? shown : `${name}: ${shown}`
  })
  return `${names[at] ?? ''}\n${lines.join('\n')}`
}
