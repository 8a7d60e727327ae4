// Fills the holes of a template: each value is written so that it stays a value where it stands.
import { evaluate, type Scope } from '../expression/evaluate.ts'
import { CannotRender, jsonOf, textOf } from '../expression/text.ts'
import { payFor } from '../valueSize.ts'
import { isImage, linkOf } from './attributes.ts'
import { shownValue } from './figures.ts'
import type { Filling, PageAttribute, PageHole } from './pageTemplate.ts'

/** Reports a value that cannot be computed; the page shows that there is none. */
export type Report = (line: number, message: string) => void

export function valueOf({ expression, line }: PageHole, scope: Scope, report: Report): unknown {
  try {
    return evaluate(expression, scope)
  } catch (error) {
    if (!(error instanceof CannotRender)) throw error
    report(line, error.message)
    return null
  }
}

/** The value of a hole that is written out. */
function written(hole: PageHole, scope: Scope, report: Report, write: (value: unknown) => string): string {
  const value = valueOf(hole, scope, report)
  payFor(value, scope.budget)
  try {
    return write(value)
  } catch (error) {
    if (!(error instanceof CannotRender)) throw error
    report(hole.line, error.message)
    return write(null)
  }
}

function join({ literals, holes }: Filling, write: (hole: PageHole, index: number) => string): string {
  return holes.reduce((text, hole, index) => text + write(hole, index) + literals[index + 1]!, literals[0]!)
}

export const fillText = (filling: Filling, scope: Scope, report: Report): string =>
  join(filling, (hole) => written(hole, scope, report, shownValue))

const attributeText = (value: unknown): string => (value === null ? '' : textOf(value))

/** An attribute that is one hole takes the value itself. */
export function fillValue(filling: Filling, scope: Scope, report: Report): unknown {
  const [hole] = filling.holes
  if (hole && filling.holes.length === 1 && filling.literals.every((literal) => literal.trim() === '')) {
    return valueOf(hole, scope, report)
  }
  return join(filling, (one) => written(one, scope, report, attributeText))
}

/** The text of an attribute; undefined: it is left out. */
export function fillAttribute({ place, value }: PageAttribute, scope: Scope, report: Report): string | undefined {
  if (place === 'flag' && value.holes.length > 0) {
    const given = fillValue(value, scope, report)
    return given === null || given === false || given === '' ? undefined : ''
  }
  if (place === 'link') return fillLink(value, scope, report)
  const text = join(value, (hole) => written(hole, scope, report, attributeText))
  return place === 'image' && !isImage(text) ? undefined : text
}

/** A value at the start is a URL; any other is one part of it. A link that leads elsewhere is dead, and the page stays whole. */
function fillLink(filling: Filling, scope: Scope, report: Report): string | undefined {
  let isDead = false
  const url = join(filling, (hole, index) =>
    written(hole, scope, report, (value) => {
      const text = attributeText(value)
      if (index === 0 && filling.literals[0]!.trim() === '') return text
      // . and .. would lead to another path, however they are encoded
      if (text === '.' || text === '..' || !text.isWellFormed()) isDead = true
      return encodeURIComponent(text.toWellFormed())
    }),
  )
  return isDead ? undefined : linkOf(url)
}

/** In JSON < can stand only inside a string, where it can be written so that no parser of HTML sees it. */
const withoutTags = (json: string): string => json.replaceAll('<', '\\u003c')

export function fillJson(filling: Filling, areInStrings: boolean[], scope: Scope, report: Report): string {
  const json = join(filling, (hole, index) =>
    written(hole, scope, report, (value) =>
      areInStrings[index] === true ? jsonOf(attributeText(value)).slice(1, -1) : jsonOf(value),
    ),
  )
  return withoutTags(json.toWellFormed())
}
