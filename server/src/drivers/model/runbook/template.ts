// The texts of a procedure: where each goes, and what stands around its holes.
import {
  endOfHole,
  splitHoles,
  type Hole as AnyHole,
  type SplitText,
  type Tell,
} from '../../../base/expression/holes.ts'
import { runbookRoots } from './scope.ts'

/** Where a text goes decides how a value is written into it (render.ts). */
export type TextKind =
  | 'bash'
  | 'python'
  | 'js'
  | 'url'
  | 'header'
  | 'form'
  | 'line'
  | 'json_text'
  | 'json_value'
  | 'text'
  | 'value'

export interface Hole extends AnyHole {
  /** A narrower context inside the context, e.g. within a JSON string. */
  part: 'json_string' | 'path' | 'query' | 'target' | null
}

export interface Template extends SplitText<Hole> {
  place: TextKind
  /** Its block's call may carry secrets, so no value may name one. */
  mayHoldSecrets?: true
}

/** Why a value is not allowed in this hole; `why` continues the sentence "A value cannot stand ". */
export type Refuse = (hole: number, why: string) => void

export function splitTemplate(text: string, firstLine: number, place: TextKind, tell: Tell): Template {
  const { literals, holes } = splitHoles(text, firstLine, runbookRoots, tell)
  return { place, literals, holes: holes.map((hole) => ({ ...hole, part: null })) }
}

/** The first position of a character outside {{ }}, or -1. */
export function indexOutsideHoles(text: string, sign: string): number {
  let at = 0
  let index = text.indexOf(sign)
  for (;;) {
    if (index !== -1 && index < at) index = text.indexOf(sign, at)
    const open = text.indexOf('{{', at)
    if (index === -1 || open === -1 || index < open) return index
    if (open > 0 && text[open - 1] === '\\') at = open + 2
    else at = endOfHole(text, open + 2).at + 2
  }
}
