// What a fenced block of a procedure becomes: a step that can be turned into a tool call, or into the run's output.
import type { Expression } from '../../../base/expression/expression.ts'
import { markHoles, type Tell } from '../../../base/expression/holes.ts'
import { checkJson } from '../../../base/expression/jsonHoles.ts'
import { checkBash } from './contexts/bash.ts'
import { checkJs } from './contexts/js.ts'
import { checkPython } from './contexts/python.ts'
import { checkUrl } from './contexts/url.ts'
import { splitTemplate, type TextKind, type Template } from './template.ts'

export const blockKinds = [
  ...(['agent', 'approve', 'ask', 'bash', 'browser', 'case', 'file', 'html', 'http', 'js', 'memory'] as const),
  ...(['output', 'python', 'tool', 'wait'] as const),
] as const
export type BlockKind = (typeof blockKinds)[number]

export const onErrorValues = ['fail', 'continue', 'ask'] as const

/** Fills the holes of a template: text in most contexts, any value for `json_value` and `value`. */
export type Fill = (template: Template) => unknown

/** What a block does, once values are there: a call of a tool, or (`tool` null) the output. */
export interface BlockAction {
  tool: string | null
  resolve: (fill: Fill) => unknown
  /** The logins that it fills in. */
  logins?: NamedLogin[]
}

export interface NamedLogin {
  /** Its domain or its id; null: the one for the page. */
  name: string | null
  line: number
}

export interface Block extends BlockAction {
  id: string
  kind: BlockKind
  /** The line of its opening fence, from 1. */
  line: number
  condition: Expression | null
  onError: (typeof onErrorValues)[number]
  /** How often a failed call is made again. */
  retry: number
  /** What its texts read; `isText`: the value becomes part of a text. */
  expressions: { expression: Expression; isText: boolean }[]
  /** Ids of earlier steps that it reads. */
  reads: string[]
  readsMemory: boolean
}

/** A block while it is read. */
export interface Draft {
  kind: BlockKind
  line: number
  body: string
  attributes: Map<string, string>
  /** Words after the kind that are not attributes. */
  words: string[]
  tell: Tell
  /** A text of the block with its holes, checked for the context that it goes into. `what` names it in messages. */
  template: (text: string, line: number, place: TextKind, what?: string) => Template
  /** Seconds of `timeout=`. */
  timeoutS: number | undefined
}

export function readTemplate(text: string, line: number, place: TextKind, what: string, tell: Tell): Template {
  const template = splitTemplate(text, line, place, tell)
  const refuse = (hole: number, why: string): void => tell(template.holes[hole]!.line, `A value cannot stand ${why}`)
  if (place === 'bash') checkBash(markHoles(template), refuse)
  else if (place === 'python') checkPython(markHoles(template), refuse)
  else if (place === 'js') checkJs(markHoles(template), refuse)
  else if (place === 'json_text' || place === 'json_value') {
    checkJson(template, line, what, tell, (hole) => (template.holes[hole]!.part = 'json_string'))
    takeValues(template)
  } else if (place === 'url') {
    const problem = checkUrl(template)
    if (problem !== undefined) tell(line, problem)
  }
  return template
}

/** In the position of a JSON value, `{{ x | json }}` means the value itself, not its JSON text inside a string. */
function takeValues(template: Template): void {
  for (const hole of template.holes) {
    const node = hole.expression?.node
    if (hole.part === 'json_string' || node?.kind !== 'filter' || node.name !== 'json') continue
    hole.expression = { ...hole.expression!, node: node.of }
  }
}

export interface Line {
  text: string
  line: number
}

/** The first line that is not blank, and what follows it without blank lines around. */
export function headAndRest({ body, line }: Draft): { head: Line | undefined; rest: Line } {
  const lines = body.split('\n')
  const first = lines.findIndex((text) => text.trim() !== '')
  if (first === -1) return { head: undefined, rest: { text: '', line: line + 1 } }
  const head = { text: lines[first]!.trim(), line: line + 1 + first }
  return { head, rest: withoutBlankEdges(lines.slice(first + 1), head.line + 1) }
}

export function withoutBlankEdges(lines: string[], line: number): Line {
  const first = lines.findIndex((text) => text.trim() !== '')
  if (first === -1) return { text: '', line }
  return { text: lines.slice(first).join('\n').trimEnd(), line: line + first }
}

/** A text that may be one value, JSON as a whole, or text with values in it. */
export function content(draft: Draft, { text, line }: Line, what: string): Template {
  const trimmed = text.trim()
  if (/^(?:\{(?!\{)|\[)/.test(trimmed)) {
    return draft.template(text, line, 'json_value', `${what}, which begins with ${trimmed[0]},`)
  }
  const template = draft.template(text, line, 'text')
  const isOneValue = template.holes.length === 1 && template.literals.every((literal) => literal.trim() === '')
  return isOneValue ? { ...template, place: 'value' } : template
}
