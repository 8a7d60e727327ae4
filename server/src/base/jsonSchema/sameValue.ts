// Compares two JSON values; the comparison costs steps in proportion to their size.
import type { StepBudget } from '../stepBudget.ts'
import { isFields } from './schemaNode.ts'

/** The value is nested deeper than a request can carry. */
export class TooDeep extends Error {}

const depthMax = 500
/** A step covers this much of a text. */
export const charactersPerStep = 64

export function isSame(left: unknown, right: unknown, budget: StepBudget, depth = 0): boolean {
  budget.spend(1)
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length) {
    // the texts are compared to the end, or nearly
    budget.spend(left.length / charactersPerStep)
  }
  if (left === right) return true
  if (depth > depthMax) throw new TooDeep('the value is nested too deeply')
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSame(item, right[index], budget, depth + 1))
  }
  if (!isFields(left) || !isFields(right)) return false
  const keys = Object.keys(left)
  const count = Object.keys(right).length
  // one object can be compared with each of many others, and its keys are listed each time
  budget.spend((keys.length + count) / 4)
  if (keys.length !== count) return false
  return keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key], budget, depth + 1))
}

/** Two values have the same key exactly when they are the same. */
export function keyOf(value: unknown, budget: StepBudget, depth = 0): string {
  budget.spend(1)
  if (depth > depthMax) throw new TooDeep('the value is nested too deeply')
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item, budget, depth + 1)).join(',')}]`
  if (isFields(value)) {
    const parts = Object.keys(value)
      .toSorted()
      .map((key) => {
        budget.spend(key.length / charactersPerStep)
        return `${JSON.stringify(key)}:${keyOf(value[key], budget, depth + 1)}`
      })
    return `{${parts.join(',')}}`
  }
  if (typeof value === 'string') budget.spend(value.length / charactersPerStep)
  return JSON.stringify(value) ?? 'null'
}
