// Markdown as a tree of few kinds of elements. Raw HTML is text, images are never loaded, links lead only where safeLink allows.
import MarkdownIt, { type Token } from 'markdown-it'
import { otherHost, safeLink } from './safeLink.ts'

export type Tag =
  | 'p'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'h6'
  | 'ul'
  | 'ol'
  | 'li'
  | 'blockquote'
  | 'pre'
  | 'code'
  | 'hr'
  | 'br'
  | 'strong'
  | 'em'
  | 's'
  | 'a'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td'

export interface Element {
  tag: Tag
  children: Node[]
  /** Of a link that may be followed. */
  href?: string
  /** Of an ordered list. */
  start?: number
  /** Of a cell. */
  align?: 'center' | 'right'
}

export type Node = string | Element

const tags = new Set<string>('p ul ol li blockquote hr br strong em s a table thead tbody tr th td'.split(' '))

/** Headings of a text stand below those of the screen around it. */
const headings: Record<string, Tag> = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6', h6: 'h6' }

const reader = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 30 })
// every address becomes a token; which of them become links is decided here
reader.validateLink = () => true

export function readMarkdown(text: string): Node[] {
  const top: Node[] = []
  fill(top, reader.parse(text, {}))
  return top
}

function fill(top: Node[], tokens: Token[]): void {
  const open: Node[][] = [top]
  const into = (): Node[] => open.at(-1) ?? top
  for (const token of tokens) {
    if (token.type === 'inline') fill(into(), token.children ?? [])
    else if (token.nesting === 1) {
      const element = elementOf(token)
      if (element) into().push(element)
      open.push(element ? element.children : into())
    } else if (token.nesting === -1) {
      const closed = open.pop()
      if (token.type === 'link_close') warnOfHost(into(), closed)
    } else into().push(...leafOf(token))
  }
}

/** Undefined: what is inside stands where the element would. A tight list has paragraphs that are not to be seen. */
function elementOf(token: Token): Element | undefined {
  if (token.hidden) return undefined
  const heading = headings[token.tag]
  if (heading) return { tag: heading, children: [] }
  if (!tags.has(token.tag)) return undefined
  const element: Element = { tag: token.tag as Tag, children: [] }
  if (token.tag === 'a') {
    const href = safeLink(String(token.attrGet('href') ?? ''))
    return href === undefined ? undefined : { ...element, href }
  }
  const start = Number(token.attrGet('start') ?? 1)
  if (token.tag === 'ol' && Number.isSafeInteger(start)) element.start = start
  const align = /(center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1]
  if (align) element.align = align as 'center' | 'right'
  return element
}

function leafOf(token: Token): Node[] {
  switch (token.type) {
    case 'fence':
    case 'code_block':
      return [{ tag: 'pre', children: [token.content.replace(/\n$/, '')] }]
    case 'code_inline':
      return [{ tag: 'code', children: [token.content] }]
    case 'hardbreak':
      return [{ tag: 'br', children: [] }]
    case 'softbreak':
      return ['\n']
    case 'hr':
      return [{ tag: 'hr', children: [] }]
    case 'image':
      return [imageOf(token)]
    default:
      return token.content === '' ? [] : [token.content]
  }
}

function imageOf(token: Token): Node {
  const words = `Image: ${token.content === '' ? 'without a text' : token.content}`
  const href = safeLink(String(token.attrGet('src') ?? ''))
  return href === undefined ? words : { tag: 'a', href, children: [words] }
}

/** `[bank.example](https://other.example)` gets the true host behind it. */
function warnOfHost(around: Node[], inside: Node[] | undefined): void {
  const link = around.at(-1)
  if (typeof link !== 'object' || link.href === undefined || link.children !== inside) return
  const host = otherHost(textOf(link.children), link.href)
  if (host !== undefined) around.push(` (${host})`)
}

const textOf = (nodes: Node[]): string =>
  nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('')
