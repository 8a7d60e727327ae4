// What a page becomes before it is written: elements and texts of which nothing has to be evaluated any more.
import type { PageTable } from './pageTable.ts'

export interface DrawnElement {
  name: string
  attributes: [string, string][]
  children: Drawn[]
  /** Text that is written as it is: our own, CSS, or JSON in which < cannot occur. */
  raw?: string
  /** What it shows, for forms of the page that have no pictures. */
  shows?: { table: PageTable } | { line: string }
}

/** A text, or an element. */
export type Drawn = string | DrawnElement

/** An attribute that is undefined is left out. */
type Attributes = Record<string, string | number | undefined>

export function draw(name: string, attributes: Attributes = {}, children: Drawn[] = []): DrawnElement {
  const given: [string, string][] = []
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) given.push([key, String(value)])
  return { name, attributes: given, children }
}

/** An element takes memory beyond its text, here and in a browser: it counts as this many characters more. */
const lengthOfElement = 30

/** How many characters a drawn tree takes, about. */
export function lengthOf(node: Drawn): number {
  if (typeof node === 'string') return node.length
  const tags = node.name.length * 2 + lengthOfElement + (node.raw?.length ?? 0)
  const own = node.attributes.reduce((sum, [name, value]) => sum + name.length + value.length + 4, tags)
  return node.children.reduce((sum, child) => sum + lengthOf(child), own)
}
