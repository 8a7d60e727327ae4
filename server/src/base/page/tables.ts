// The tables of a page: what charts and data tables show, and plain tables as they stand.
import type { StepBudget } from '../stepBudget.ts'
import { payForText } from '../valueSize.ts'
import type { Drawn, DrawnElement } from './drawn.ts'
import { numberOf } from './figures.ts'
import type { PageTable } from './pageTable.ts'

/** How many columns of a plain table count. A table of one long row and many short ones would otherwise have a cell for each pair. */
const columnsMax = 100
/** How many steps a cell and a node cost. */
const stepsOfCell = 5

export function tablesOf(nodes: Drawn[], budget: StepBudget): PageTable[] {
  const tables: PageTable[] = []
  let heading = ''
  const visit = (node: Drawn): void => {
    if (typeof node === 'string') return
    if (/^h[1-6]$/.test(node.name)) heading = textIn(node, budget)
    const table = tableOf(node, heading, budget)
    if (table) tables.push({ ...table, title: table.title || `Table ${tables.length + 1}` })
    else node.children.forEach(visit)
  }
  nodes.forEach(visit)
  return tables
}

/** What an element shows as a table, if it is one. A plain table without a caption has the heading above it as its title. */
export function tableOf(node: DrawnElement, heading: string, budget: StepBudget): PageTable | undefined {
  if (node.shows && 'table' in node.shows) return node.shows.table
  return node.name === 'table' ? plainTable(node, heading, budget) : undefined
}

function plainTable(table: DrawnElement, heading: string, budget: StepBudget): PageTable {
  const caption = table.children.find((child) => typeof child !== 'string' && child.name === 'caption')
  const rows = rowsIn(table)
  const head = rows.find((row) => row.cells.length > 0 && row.cells.every(({ name }) => name === 'th'))
  const texts = rows
    .filter((row) => row !== head)
    .map(({ cells }) => cells.slice(0, columnsMax).map((cell) => textIn(cell, budget)))
  const width = texts.reduce(
    (most, { length }) => Math.max(most, length),
    Math.min(columnsMax, head?.cells.length ?? 0),
  )
  budget.spend(texts.length * width * stepsOfCell)
  const columns = Array.from({ length: width }, (_, index) => {
    const values = texts.map((cells) => cells[index] ?? '').filter((text) => text !== '')
    const isNumber = values.length > 0 && values.every((text) => numberOf(text) !== null)
    const name = head?.cells[index] ? textIn(head.cells[index], budget) : `Column ${index + 1}`
    return { name, kind: isNumber ? ('number' as const) : ('text' as const) }
  })
  return {
    title: caption === undefined ? heading : textIn(caption, budget),
    columns,
    rows: texts.map((cells) =>
      columns.map(({ kind }, index) => {
        const text = cells[index] ?? ''
        return kind === 'number' ? numberOf(text) : text
      }),
    ),
  }
}

function rowsIn(node: DrawnElement): { cells: DrawnElement[] }[] {
  return node.children.flatMap((child) => {
    if (typeof child === 'string') return []
    if (child.name === 'tr') {
      const cells = child.children.filter((cell) => typeof cell !== 'string')
      return [{ cells: cells.filter(({ name }) => name === 'td' || name === 'th') }]
    }
    return ['thead', 'tbody', 'tfoot'].includes(child.name) ? rowsIn(child) : []
  })
}

/** The text inside, with single spaces. */
export function textIn(node: Drawn, budget: StepBudget): string {
  const parts: string[] = []
  const visit = (one: Drawn): void => {
    payForText(typeof one === 'string' ? one : '', budget)
    if (typeof one === 'string') parts.push(one)
    else if (one.shows && 'line' in one.shows) parts.push(` ${one.shows.line} `)
    else if (one.name === 'br') parts.push(' ')
    else one.children.forEach(visit)
  }
  visit(node)
  return parts.join('').replaceAll(/\s+/g, ' ').trim()
}
