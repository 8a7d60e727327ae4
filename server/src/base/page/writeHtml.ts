// Writes a drawn page as HTML, so that a parser reads exactly the same tree again.
import { voidElements } from './allowed.ts'
import type { Drawn } from './drawn.ts'

/** NUL and half characters do not exist in HTML, and a bare CR would be read as a line feed. */
const signs: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\0': '\uFFFD',
}

export const escapeText = (text: string): string => text.toWellFormed().replaceAll(/[&<>\r\0]/g, (sign) => signs[sign]!)

export const escapeAttribute = (text: string): string =>
  text.toWellFormed().replaceAll(/[&<>"\r\0]/g, (sign) => signs[sign]!)

export function writeHtml(nodes: Drawn[]): string {
  const parts: string[] = []
  for (const node of nodes) write(node, parts)
  return parts.join('')
}

function write(node: Drawn, parts: string[]): void {
  if (typeof node === 'string') return void parts.push(escapeText(node))
  const { name, attributes, children, raw } = node
  parts.push('<', name)
  for (const [key, value] of attributes) parts.push(' ', key, '="', escapeAttribute(value), '"')
  parts.push('>')
  if (voidElements.has(name)) return
  // a parser leaves out the first line feed of these
  if (name === 'pre' && typeof children[0] === 'string' && children[0].startsWith('\n')) parts.push('\n')
  if (raw !== undefined) parts.push(raw)
  for (const child of children) write(child, parts)
  parts.push('</', name, '>')
}
