// A page as Markdown: headings, paragraphs, lists and tables; charts become tables, and big numbers become lines.
import type { Drawn, DrawnElement } from './drawn.ts'
import { momentOf, shownValue } from './figures.ts'
import type { PageTable } from './pageTable.ts'
import { tableOf, textIn } from './tables.ts'

export function markdownOf(nodes: Drawn[], { title, at }: { title: string; at: Date }, hasHeading: boolean): string {
  const blocks: string[] = hasHeading || title === '' ? [] : [`# ${escaped(title)}`]
  blocks.push(`As of ${momentOf(at)} UTC.`, ...blocksOf(nodes))
  return `${blocks.join('\n\n')}\n`
}

const inlineElements = new Set(
  'a em strong small s cite q dfn abbr data time code var samp kbd sub sup i b u mark bdi bdo span br wbr del ins ruby rt rp img progress meter'.split(
    ' ',
  ),
)

/** Runs of text become paragraphs, and each other element a block of its own. */
function blocksOf(nodes: Drawn[]): string[] {
  const blocks: string[] = []
  let run: Drawn[] = []
  const flush = (): void => {
    const text = inlineText(run)
    if (text !== '') blocks.push(text)
    run = []
  }
  for (const node of nodes) {
    if (typeof node === 'string' || (inlineElements.has(node.name) && !node.shows)) run.push(node)
    else {
      flush()
      blocks.push(...blockOf(node))
    }
  }
  flush()
  return blocks
}

function blockOf(node: DrawnElement): string[] {
  const { name, children } = node
  if (name === 'style' || name === 'script' || name === 'svg') return []
  if (node.shows && 'line' in node.shows) return [`**${escaped(node.shows.line)}**`]
  const table = tableOf(node, '')
  if (table) return tableText(table, node.name !== 'table')
  const level = /^h([1-6])$/.exec(name)?.[1]
  if (level !== undefined) return [`${'#'.repeat(Number(level))} ${inlineText(children)}`]
  if (name === 'hr') return ['---']
  if (name === 'pre') return [fenced(rawText(node))]
  if (name === 'ul' || name === 'ol' || name === 'menu') return [listText(node)]
  if (name === 'blockquote') return [indent(blocksOf(children).join('\n\n'), '> ', '> ')]
  return blocksOf(children)
}

function listText({ name, children }: DrawnElement): string {
  const items = children.filter((child) => typeof child !== 'string')
  return items
    .map((item, index) => {
      const mark = name === 'ol' ? `${index + 1}. ` : '- '
      return indent(blocksOf(item.children).join('\n\n'), mark, ' '.repeat(mark.length))
    })
    .join('\n')
}

const indent = (text: string, first: string, rest: string): string =>
  text
    .split('\n')
    .map((line, index) => ((index === 0 ? first : rest) + line).trimEnd())
    .join('\n')

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

function inlineText(nodes: Drawn[]): string {
  const text = nodes
    .map(inline)
    .join('')
    .replaceAll(/[ \t\r\n\f]+/g, ' ')
    .trim()
  // a line that only looks like a heading or a list is text
  return text.replace(/^(?:#{1,6}|[-+]|\d{1,9}[.)])(?= |$)/, String.raw`\$&`)
}

function inline(node: Drawn): string {
  if (typeof node === 'string') return escaped(node)
  const { name, children } = node
  if (name === 'br') return ' '
  if (name === 'img') return escaped(attribute(node, 'alt'))
  if (node.shows && 'line' in node.shows) return escaped(node.shows.line)
  const text = children.map(inline).join('')
  if (text.trim() === '') return text
  if (name === 'strong' || name === 'b') return `**${text.trim()}**`
  if (name === 'em' || name === 'i') return `*${text.trim()}*`
  if (name === 'code') return textIn(node).includes('`') ? text : `\`${textIn(node)}\``
  const href = name === 'a' ? attribute(node, 'href') : ''
  return href === '' || href.startsWith('#') ? text : `[${text}](<${href.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`
}

const attribute = ({ attributes }: DrawnElement, name: string): string =>
  attributes.find(([key]) => key === name)?.[1] ?? ''
