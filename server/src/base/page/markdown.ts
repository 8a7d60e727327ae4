// A page as Markdown: headings, paragraphs, lists and tables; charts become tables, and big numbers become lines.
import type { StepBudget } from '../stepBudget.ts'
import { payForText } from '../valueSize.ts'
import type { Drawn, DrawnElement } from './drawn.ts'
import { momentOf, shownValue } from './figures.ts'
import type { PageTable } from './pageTable.ts'
import { tableOf, textIn } from './tables.ts'

/** A text is written again at each level around it, so every level is paid for. */
export function markdownOf(
  nodes: Drawn[],
  { title, at, budget }: { title: string; at: Date; budget: StepBudget },
  hasHeading: boolean,
): string {
  const blocks: string[] = hasHeading || title === '' ? [] : [`# ${escaped(title)}`]
  blocks.push(`As of ${momentOf(at)} UTC.`, ...blocksOf(nodes, budget))
  return `${blocks.join('\n\n')}\n`
}

const inlineElements = new Set(
  'a em strong small s cite q dfn abbr data time code var samp kbd sub sup i b u mark bdi bdo span br wbr del ins ruby rt rp img progress meter'.split(
    ' ',
  ),
)

/** Runs of text become paragraphs, and each other element a block of its own. */
function blocksOf(nodes: Drawn[], budget: StepBudget): string[] {
  const blocks: string[] = []
  let run: Drawn[] = []
  const flush = (): void => {
    const text = inlineText(run, budget)
    if (text !== '') blocks.push(text)
    run = []
  }
  for (const node of nodes) {
    if (typeof node === 'string' || (inlineElements.has(node.name) && !node.shows)) run.push(node)
    else {
      flush()
      for (const block of blockOf(node, budget)) blocks.push(block)
    }
  }
  flush()
  return blocks
}

function blockOf(node: DrawnElement, budget: StepBudget): string[] {
  const { name, children } = node
  if (name === 'style' || name === 'script' || name === 'svg') return []
  if (node.shows && 'line' in node.shows) return [`**${escaped(node.shows.line)}**`]
  const table = tableOf(node, '', budget)
  if (table) return tableText(table, node.name !== 'table')
  const level = /^h([1-6])$/.exec(name)?.[1]
  if (level !== undefined) return [`${'#'.repeat(Number(level))} ${inlineText(children, budget)}`]
  if (name === 'figcaption') return [`**${inlineText(children, budget)}**`]
  if (name === 'hr') return ['---']
  if (name === 'pre') return [fenced(rawText(node))]
  if (name === 'ul' || name === 'ol' || name === 'menu') return [listText(node, budget)]
  if (name === 'blockquote') return [indent(blocksOf(children, budget).join('\n\n'), '> ', '> ', budget)]
  return blocksOf(children, budget)
}

function listText({ name, children }: DrawnElement, budget: StepBudget): string {
  const items = children.filter((child) => typeof child !== 'string')
  return items
    .map((item, index) => {
      const mark = name === 'ol' ? `${index + 1}. ` : '- '
      return indent(blocksOf(item.children, budget).join('\n\n'), mark, ' '.repeat(mark.length), budget)
    })
    .join('\n')
}

/** How many steps a line costs. */
const stepsOfLine = 5

function indent(text: string, first: string, rest: string, budget: StepBudget): string {
  payForText(text, budget)
  const lines = text.split('\n')
  budget.spend(lines.length * stepsOfLine)
  return lines.map((line, index) => ((index === 0 ? first : rest) + line).trimEnd()).join('\n')
}

const line = (cells: string[]): string => `| ${cells.join(' | ')} |`

/** How many rows of a table a Markdown page shows. */
const rowsMax = 1000

function tableText({ title, columns, rows }: PageTable, hasTitle: boolean): string[] {
  if (columns.length === 0) return []
  const shown = rows.slice(0, rowsMax)
  const table = [
    line(columns.map(({ name }) => cell(name))),
    line(columns.map(({ kind }) => (kind === 'text' || kind === 'time' ? '---' : '---:'))),
    ...shown.map((row) => line(columns.map(({ kind }, index) => cell(shownValue(row[index], kind))))),
  ].join('\n')
  return hasTitle && title !== '' ? [`**${escaped(title)}**`, table] : [table]
}

const cell = (text: string): string => escaped(text.replaceAll(/\s+/g, ' ').trim())

const escaped = (text: string): string => text.replaceAll(/[\\`*_[\]<>|~]/g, String.raw`\$&`).replaceAll(/\s+/g, ' ')

function rawText(node: Drawn): string {
  return typeof node === 'string' ? node : node.children.map(rawText).join('')
}

/** A fence that is longer than any inside the text. */
function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.replace(/^\n|\n$/g, '')}\n${fence}`
}

function inlineText(nodes: Drawn[], budget: StepBudget): string {
  const text = nodes
    .map((node) => inline(node, budget))
    .join('')
    .replaceAll(/[ \t\r\n\f]+/g, ' ')
    .trim()
  // a line that only looks like a heading or a list is text
  return text.replace(/^(?:#{1,6}|[-+]|\d{1,9}[.)])(?= |$)/, String.raw`\$&`)
}

function inline(node: Drawn, budget: StepBudget): string {
  if (typeof node === 'string') return escaped(node)
  const { name, children } = node
  if (name === 'br') return ' '
  if (name === 'img') return escaped(attribute(node, 'alt'))
  if (node.shows && 'line' in node.shows) return escaped(node.shows.line)
  if (name === 'code') {
    const code = textIn(node, budget)
    return code === '' || code.includes('`') ? escaped(code) : `\`${code}\``
  }
  const text = children.map((child) => inline(child, budget)).join('')
  payForText(text, budget)
  if (text.trim() === '') return text
  if (name === 'strong' || name === 'b') return `**${text.trim()}**`
  if (name === 'em' || name === 'i') return `*${text.trim()}*`
  const href = name === 'a' ? attribute(node, 'href') : ''
  return href === '' || href.startsWith('#') ? text : `[${text}](<${href.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`
}

const attribute = ({ attributes }: DrawnElement, name: string): string =>
  attributes.find(([key]) => key === name)?.[1] ?? ''
