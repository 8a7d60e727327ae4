// A list at the terminal from which a person chooses with keys: one of it, or several.
import { harmless } from '../output.ts'
import { cutTo } from '../screenWidth.ts'
import type { Asking } from './askPerson.ts'

interface Choice {
  label: string
  about?: string | undefined
}

interface Choosing {
  several: boolean
  /** The indexes of those that are chosen at first. */
  chosen: number[]
}

/** How many lines stay for what stands above and below the list. */
const keptLines = 8
const shownMin = 3

/** The indexes of what was chosen, in the order of the list. Undefined when the person leaves it for later. */
export async function choose(
  choices: Choice[],
  { several, chosen: first }: Choosing,
  { keyboard, out, signal }: Asking,
): Promise<number[] | undefined> {
  const chosen = new Set(first)
  let at = Math.min(first[0] ?? 0, choices.length - 1)
  let drawn = 0
  const erase = (): void => {
    if (drawn > 0) out.draw(`\u001b[${drawn}A\r\u001b[J`)
    drawn = 0
  }
  try {
    for (;;) {
      erase()
      const lines = listLines(choices, { at, chosen, several }, out)
      out.draw(`${lines.join('\n')}\n`)
      drawn = lines.length
      const { name } = await keyboard.key(signal)
      if (['escape', 'ctrl-d', 'q', 'l'].includes(name)) return undefined
      const number = /^[1-9]$/.test(name) ? Number(name) - 1 : undefined
      if (name === 'down' || name === 'j') at = (at + 1) % choices.length
      else if (name === 'up' || name === 'k') at = (at + choices.length - 1) % choices.length
      else if (number !== undefined && number < choices.length) at = number
      if (several && (name === 'space' || number === at)) if (!chosen.delete(at)) chosen.add(at)
      if (name === 'return' || name === 'enter') return several ? [...chosen].toSorted((a, b) => a - b) : [at]
    }
  } finally {
    erase()
  }
}

interface Shown {
  at: number
  chosen: Set<number>
  several: boolean
}

function listLines(choices: Choice[], { at, chosen, several }: Shown, out: Asking['out']): string[] {
  const room = Math.max(shownMin, out.height - keptLines)
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), choices.length - room))
  const shown = choices.slice(first, first + room).map(({ label, about }, index) => {
    const mark = several ? `${chosen.has(first + index) ? '◉' : '○'} ` : ''
    return `${first + index === at ? '❯' : ' '} ${mark}${first + index + 1}. ${harmless(label)}${about ? `: ${harmless(about)}` : ''}`
  })
  const above = first > 0 ? [`  … ${first} above`] : []
  const left = choices.length - first - shown.length
  const below = left > 0 ? [`  … ${left} below`] : []
  const keys = several
    ? '  ↑↓ move · Space choose · Enter confirm · Esc later'
    : '  ↑↓ or a number choose · Enter confirm · Esc later'
  return [...above, ...shown, ...below, keys].map((line) => cutTo(line, out.width - 1))
}
