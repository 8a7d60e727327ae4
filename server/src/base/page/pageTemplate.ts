// A template that was read: a tree of allowed elements, with expressions where values go.
import type { Expression } from '../expression/expression.ts'

export interface PageHole {
  expression: Expression
  line: number
}

/** `literals[0] holes[0] literals[1] … literals[n]`. */
export interface Filling {
  literals: string[]
  holes: PageHole[]
}

/** Where an attribute's value goes decides how it is written: a flag is there or not, the others are texts. */
export type AttributePlace = 'text' | 'flag' | 'link' | 'image'

export interface PageAttribute {
  name: string
  place: AttributePlace
  value: Filling
}

/** `each="row in data.fetch.rows"`. */
export interface Repeat {
  name: string
  list: PageHole
  /** The list as it was written, for notes about it. */
  source: string
}

/** What decides whether a node is shown, and how often. */
export interface Shown {
  repeat: Repeat | null
  condition: PageHole | null
}

export const widgetNames = ['big-number', 'bar-chart', 'line-chart', 'area-chart', 'data-table'] as const
export type WidgetName = (typeof widgetNames)[number]

export type PageNode =
  | { kind: 'text'; text: Filling }
  | { kind: 'style'; css: string }
  /** JSON that belongs to the page as data; `areInStrings` says it of each hole. */
  | ({ kind: 'json'; id: string | null; text: Filling; areInStrings: boolean[] } & Shown)
  | ({ kind: 'element'; name: string; attributes: PageAttribute[]; children: PageNode[] } & Shown)
  | ({ kind: 'widget'; name: WidgetName; attributes: Map<string, Filling>; line: number } & Shown)

export interface PageTemplate {
  nodes: PageNode[]
  /** The first keys of `data.…`: the ids of the steps that it shows. */
  reads: string[]
  /** The line where each of them is first read. */
  readAt: ReadonlyMap<string, number>
  /** Whether it has an h1, so that the page needs none of ours. */
  hasHeading: boolean
}

export interface PageProblem {
  line: number
  message: string
}
