// One figure in large type, with its name and how it changed.
import { draw, type Drawn, type DrawnElement } from './drawn.ts'
import { noValue, numberOf, shownNumber, shownValue } from './figures.ts'
import type { ColumnKind } from './pageTable.ts'

interface BigNumber {
  value: unknown
  label: string
  unit: string
  kind: ColumnKind
  /** The change as a share, or as text. */
  change: unknown
  /** The value of the time before, from which the change is computed. */
  before: unknown
  /** Which direction is welcome: up, down, or neither. */
  good: string
}

/** Spans only: a big number may stand inside a paragraph. */
export function bigNumber(given: BigNumber): DrawnElement {
  const { value, label, unit, kind } = given
  const shown = shownValue(value, kind, true)
  const number = numberOf(value)
  const full = number === null ? undefined : shownNumber(number, kind, false)
  const parts: Drawn[] = []
  if (label !== '') parts.push(draw('span', { class: 'ry-label' }, [label]))
  const unitPart = unit === '' ? [] : [draw('span', { class: 'ry-unit' }, [` ${unit}`])]
  parts.push(draw('span', { class: 'ry-value', title: full === shown ? undefined : full }, [shown, ...unitPart]))
  const change = changeOf(given)
  if (change) parts.push(draw('span', { class: `ry-change ry-${change.tone}` }, [change.text]))
  const line = `${label === '' ? '' : `${label}: `}${shown}${unit === '' ? '' : ` ${unit}`}${change ? ` (${change.text})` : ''}`
  return { ...draw('span', { class: 'ry-number' }, parts), shows: { line } }
}

function changeOf({ change, before, value, good }: BigNumber): { text: string; tone: string } | undefined {
  const share = numberOf(change) ?? growth(numberOf(before), numberOf(value))
  if (share === null) {
    const text = change === null || change === '' ? noValue : shownValue(change)
    return text === noValue ? undefined : { text, tone: 'even' }
  }
  if (Math.abs(share) < 0.0005) return { text: 'no change', tone: 'even' }
  const isWelcome = good === 'up' ? share > 0 : share < 0
  const tone = good === 'up' || good === 'down' ? (isWelcome ? 'good' : 'bad') : 'even'
  return { text: `${share > 0 ? '\u2191' : '\u2193'} ${shownNumber(Math.abs(share), 'percent', true)}`, tone }
}

const growth = (before: number | null, now: number | null): number | null =>
  before === null || now === null || before === 0 ? null : (now - before) / Math.abs(before)
