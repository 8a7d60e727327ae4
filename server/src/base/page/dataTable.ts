// A table of rows: numbers at the right, a header that stays, sorted by a click on a column.
import { draw, type Drawn, type DrawnElement } from './drawn.ts'
import { numberOf, shownValue, timeOf } from './figures.ts'
import { cellOf, columnsOf, type KeyedColumn, type Row } from './rows.ts'

/** How many characters of a text a cell shows; the rest is in its tooltip. */
const cellMax = 300

export function dataTable(rows: Row[], columnText: string, title: string, note: string): DrawnElement {
  const columns = columnsOf(columnText, rows)
  const head = draw('thead', {}, [draw('tr', {}, columns.map(headCell))])
  const body = draw(
    'tbody',
    {},
    rows.map((row) =>
      draw(
        'tr',
        {},
        columns.map((column) => bodyCell(column, cellOf(row, column.key))),
      ),
    ),
  )
  const table = draw('table', { class: 'ry-table' }, [head, body])
  const figure = draw('figure', { class: 'ry-data' }, [
    ...(title === '' ? [] : [draw('figcaption', {}, [title])]),
    draw('div', { class: rows.length > 20 ? 'ry-scroll ry-tall' : 'ry-scroll' }, [table]),
    ...(note === '' ? [] : [draw('p', { class: 'ry-note' }, [note])]),
  ])
  return {
    ...figure,
    shows: {
      table: {
        title: title || 'Table',
        columns: columns.map(({ name, kind }) => ({ name, kind })),
        rows: rows.map((row) => columns.map(({ key, kind }) => plainCell(kind, cellOf(row, key)))),
      },
    },
  }
}

const isNumeric = ({ kind }: KeyedColumn): boolean => kind !== 'text' && kind !== 'time'

const headCell = (column: KeyedColumn): Drawn =>
  draw('th', { scope: 'col', class: isNumeric(column) ? 'ry-right' : undefined }, [
    draw('button', { type: 'button', class: 'ry-sort' }, [column.name]),
  ])

function bodyCell(column: KeyedColumn, value: unknown): Drawn {
  const shown = shownValue(value, column.kind)
  const order = column.kind === 'time' ? timeOf(value) : isNumeric(column) ? numberOf(value) : null
  const isLong = shown.length > cellMax
  return draw(
    'td',
    {
      class: isNumeric(column) ? 'ry-right' : column.kind === 'time' ? 'ry-time' : undefined,
      'data-order': order === null ? undefined : order,
      title: isLong ? shown.slice(0, 2000) : undefined,
    },
    [isLong ? `${shown.slice(0, cellMax - 1)}\u2026` : shown],
  )
}

/** A number that came as text becomes a number, so that a spreadsheet adds it up. */
const plainCell = (kind: KeyedColumn['kind'], value: unknown): unknown =>
  kind === 'text' || kind === 'time' ? value : (numberOf(value) ?? value)
