// Computes the value of an expression: own properties of plain data only, and a missing one is null.
import { isRecord } from '../isRecord.ts'
import type { StepBudget } from '../stepBudget.ts'
import type { Comparison, Expression, Node } from './expression.ts'
import { applyFilter } from './filters.ts'
import { CannotRender } from './text.ts'

/** What an expression reads, whoever asks: a procedure, a policy, a page. */
export interface Scope {
  /** The steps that are left for its expressions. */
  budget: StepBudget
  /** The value at these keys below a root; `valueAt` follows them through plain data. */
  read: (root: string, keys: readonly unknown[]) => unknown
}

export const evaluate = ({ node }: Expression, scope: Scope): unknown => valueOf(node, scope)

export const isTrue = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length > 0
  if (!isRecord(value)) return Boolean(value)
  // the first name is enough: an object may have very many
  for (const name in value) if (Object.hasOwn(value, name)) return true
  return false
}

/** How many characters a part of an expression costs. */
const stepsOfNode = 5
/** A step covers this much of a text that is compared. */
const charactersPerStep = 16

function valueOf(node: Node, scope: Scope): unknown {
  scope.budget.spend(stepsOfNode)
  if (node.kind === 'literal') return node.value
  if (node.kind === 'path') {
    const keys = node.keys.map((key) => valueOf(key, scope))
    return scope.read(node.root, keys)
  }
  if (node.kind === 'get') {
    const keys = node.keys.map((key) => valueOf(key, scope))
    return valueAt(valueOf(node.of, scope), keys)
  }
  if (node.kind === 'not') return !isTrue(valueOf(node.of, scope))
  if (node.kind === 'compare') {
    return comparisons[node.operator](valueOf(node.left, scope), valueOf(node.right, scope), scope.budget)
  }
  if (node.kind === 'filter') {
    const value = valueOf(node.of, scope)
    // a default that is not needed is not computed: it may read memory
    if (node.name === 'default') return value ?? valueOf(node.argument!, scope)
    return applyFilter(node.name, value, node.argument && valueOf(node.argument, scope), scope.budget)
  }
  const left = valueOf(node.left, scope)
  return isTrue(left) === (node.kind === 'or') ? left : valueOf(node.right, scope)
}

export const valueAt = (value: unknown, keys: readonly unknown[]): unknown => keys.reduce(property, value)

function property(value: unknown, key: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null
  if (typeof key !== 'string' && typeof key !== 'number') return null
  return Object.hasOwn(value, key) ? ((value as Record<string | number, unknown>)[key] ?? null) : null
}

type Compare = (left: unknown, right: unknown, budget: StepBudget) => boolean

const ordered =
  (isAsked: (sign: number) => boolean): Compare =>
  (left, right, budget) =>
    areOrdered(left, right, budget, isAsked)

const comparisons: Record<Comparison, Compare> = {
  '==': (left, right, budget) => isSame(left, right, budget),
  '!=': (left, right, budget) => !isSame(left, right, budget),
  in: (left, right, budget) => contains(right, left, budget),
  contains,
  '<': ordered((sign) => sign < 0),
  '<=': ordered((sign) => sign <= 0),
  '>': ordered((sign) => sign > 0),
  '>=': ordered((sign) => sign >= 0),
}

function contains(whole: unknown, part: unknown, budget: StepBudget): boolean {
  if (Array.isArray(whole)) return whole.some((item) => isSame(item, part, budget))
  if (typeof whole === 'string' && typeof part === 'string') {
    // the runtime's own search takes up to the product of both lengths
    budget.spend((whole.length * (1 + part.length / 2)) / charactersPerStep)
    return whole.includes(part)
  }
  return isRecord(whole) && typeof part === 'string' && Object.hasOwn(whole, part)
}

/** Nothing is larger or smaller than null; a text and a number do not compare, for "10" < "9". */
function areOrdered(left: unknown, right: unknown, budget: StepBudget, isAsked: (sign: number) => boolean): boolean {
  if (left === null || right === null) return false
  const areAlike = typeof left === typeof right && (typeof left === 'number' || typeof left === 'string')
  if (!areAlike) {
    throw new CannotRender(`${named(left)} and ${named(right)} have no order. Turn a text into a number by | number.`)
  }
  if (typeof left === 'string') budget.spend(left.length / charactersPerStep)
  const [one, other] = [left as number, right as number]
  if (one === other) return isAsked(0)
  return isAsked(one < other ? -1 : 1)
}

const named = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list'
  return { string: 'a text', number: 'a number', boolean: 'true or false' }[typeof value as 'string'] ?? 'an object'
}

function isSame(left: unknown, right: unknown, budget: StepBudget, depth = 0): boolean {
  budget.spend(typeof left === 'string' ? 2 + left.length / charactersPerStep : 2)
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (depth > 100) throw new CannotRender('The values are nested too deeply to be compared.')
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((item, index) => isSame(item, right[index], budget, depth + 1))
  }
  const [one, other] = [left as Record<string, unknown>, right as Record<string, unknown>]
  const names = Object.keys(one)
  budget.spend(names.length * stepsOfNode)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name], budget, depth + 1))
}
