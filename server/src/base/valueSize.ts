// How large a JSON value is, without writing it out and without recursion.
import type { StepBudget } from './stepBudget.ts'

const bytesOfValue = 40
const bytesOfCharacter = 2

/** About how much memory the value takes. */
export function bytesHeld(value: unknown): number {
  let bytes = 0
  walk(value, (characters) => (bytes += bytesOfValue + characters * bytesOfCharacter))
  return bytes
}

const charactersPerStep = 4

/** Charges for looking at all of the value, and stops when that costs more than is left. */
export const payFor = (value: unknown, budget: StepBudget): void =>
  walk(value, (characters) => budget.spend(1 + characters / charactersPerStep))

/** Charges for looking at a text. */
export const payForText = (text: string, budget: StepBudget): void => budget.spend(1 + text.length / charactersPerStep)

/** `visit` gets the characters of each text and key, and 0 for every other value. */
function walk(whole: unknown, visit: (characters: number) => void): void {
  const open = [whole]
  while (open.length > 0) {
    const value = open.pop()
    visit(typeof value === 'string' ? value.length : 0)
    if (Array.isArray(value)) {
      // this does not spread the list: a call cannot take a million arguments
      for (const item of value) open.push(item)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        visit(key.length)
        open.push(item)
      }
    }
  }
}
