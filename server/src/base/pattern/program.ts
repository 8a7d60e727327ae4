// A pattern as a list of instructions, and the machine that runs it: all possibilities at once, each at most once a character.
import type { StepBudget } from '../stepBudget.ts'
import { BadPattern, type Assertion, type PatternNode } from './parsePattern.ts'

const instructionsMax = 4000

/** `x` and `y` are the next instructions of a fork, or the index of a code point test or an assertion. */
const operations = { point: 0, fork: 1, assert: 2, match: 3 } as const
const assertions: Assertion[] = ['start', 'end', 'word', 'notWord']

/** We charge one step in sixteen: a step of this machine takes about a sixteenth of the time of a step of the schema check. */
const stepsShift = 4
const stepsUnspentMax = 4096

export class Program {
  readonly source: string
  readonly #operations: number[] = []
  readonly #x: number[] = []
  readonly #y: number[] = []
  readonly #points: PointTest[] = []
  readonly #isAnchored: boolean
  readonly #seenAt: Int32Array
  #current: Int32Array
  #next: Int32Array
  readonly #stack: Int32Array
  /** Steps that are not paid for yet. */
  #steps = 0

  constructor(source: string, tree: PatternNode) {
    this.source = source
    this.#emit(tree, new Map())
    this.#add(operations.match)
    this.#isAnchored = beginsAtStart(tree)
    const length = this.#operations.length
    this.#seenAt = new Int32Array(length)
    this.#current = new Int32Array(length)
    this.#next = new Int32Array(length)
    // an instruction puts at most two others on it, once
    this.#stack = new Int32Array(2 * length + 1)
  }

  get length(): number {
    return this.#operations.length
  }

  /** About how much memory the program takes, in instructions. */
  get weight(): number {
    return this.#points.reduce((sum, { weight }) => sum + weight, this.length)
  }

  /** Whether the pattern matches anywhere in the text. */
  matches(text: string, budget: StepBudget): boolean {
    this.#steps = this.length >> stepsShift
    const isMatch = this.#run(text, budget)
    budget.spend(1 + (this.#steps >> stepsShift))
    return isMatch
  }

  #run(text: string, budget: StepBudget): boolean {
    this.#seenAt.fill(-1)
    let count = 0
    for (let at = 0; ;) {
      if (at === 0 || !this.#isAnchored) {
        const added = this.#enter(0, text, at, count)
        if (added < 0) return true
        count = added
      } else if (count === 0) return false
      if (at >= text.length) return false
      const point = text.codePointAt(at) ?? 0
      at += point > 0xffff ? 2 : 1
      let after = 0
      const from = this.#current
      this.#current = this.#next
      this.#next = from
      for (let index = 0; index < count; index += 1) {
        const pc = from[index]!
        if (!this.#points[this.#x[pc]!]!.accepts(point)) continue
        const added = this.#enter(pc + 1, text, at, after)
        if (added < 0) return true
        after = added
      }
      this.#steps += count * (point < 128 ? 1 : 4)
      count = after
      if (this.#steps > stepsUnspentMax) {
        budget.spend(this.#steps >> stepsShift)
        this.#steps = 0
      }
    }
  }

  /** Adds the point tests that can be reached without a character. Returns their new count, or -1 when the match is reached. */
  #enter(pc: number, text: string, at: number, count: number): number {
    const stack = this.#stack
    let top = 0
    stack[top++] = pc
    while (top > 0) {
      const next = stack[--top]!
      this.#steps += 1
      if (this.#seenAt[next] === at) continue
      this.#seenAt[next] = at
      const operation = this.#operations[next]!
      if (operation === operations.point) this.#current[count++] = next
      else if (operation === operations.match) return -1
      else if (operation === operations.fork) {
        stack[top++] = this.#y[next]!
        stack[top++] = this.#x[next]!
      } else if (holds(assertions[this.#x[next]!]!, text, at)) stack[top++] = next + 1
    }
    return count
  }

  #add(operation: number, x = 0, y = 0): number {
    if (this.#operations.length >= instructionsMax) {
      throw new BadPattern('repeats its parts too often. Use smaller numbers in {…}')
    }
    this.#operations.push(operation)
    this.#x.push(x)
    this.#y.push(y)
    return this.#operations.length - 1
  }

  #emit(node: PatternNode, points: Map<string, number>): void {
    if (node.kind === 'sequence') for (const part of node.parts) this.#emit(part, points)
    else if (node.kind === 'assert') this.#add(operations.assert, assertions.indexOf(node.what))
    else if (node.kind === 'either') this.#emitEither([node.first, ...node.others], points)
    else if (node.kind === 'repeat') this.#emitRepeat(node, points)
    else {
      const known = points.get(node.source) ?? this.#points.push(new PointTest(node.source)) - 1
      points.set(node.source, known)
      this.#add(operations.point, known)
    }
  }

  #emitEither(parts: PatternNode[], points: Map<string, number>): void {
    const ends: number[] = []
    for (const [index, part] of parts.entries()) {
      if (index === parts.length - 1) this.#emit(part, points)
      else {
        const fork = this.#add(operations.fork)
        this.#x[fork] = fork + 1
        this.#emit(part, points)
        ends.push(this.#add(operations.fork))
        this.#y[fork] = this.length
      }
    }
    for (const end of ends) this.#x[end] = this.#y[end] = this.length
  }

  #emitRepeat({ of, min, max }: Extract<PatternNode, { kind: 'repeat' }>, points: Map<string, number>): void {
    for (let times = 0; times < min; times += 1) {
      const before = this.length
      this.#emit(of, points)
      // an empty part, repeated any number of times, is empty
      if (this.length === before) return
    }
    if (max === Number.POSITIVE_INFINITY) {
      const fork = this.#add(operations.fork)
      this.#x[fork] = fork + 1
      this.#emit(of, points)
      this.#add(operations.fork, fork, fork)
      this.#y[fork] = this.length
      return
    }
    const forks: number[] = []
    for (let times = min; times < max; times += 1) {
      const fork = this.#add(operations.fork)
      this.#x[fork] = fork + 1
      forks.push(fork)
      this.#emit(of, points)
    }
    for (const fork of forks) this.#y[fork] = this.length
  }
}

/** Such a pattern need not be tried again at every position of the text. */
function beginsAtStart(node: PatternNode): boolean {
  if (node.kind === 'assert') return node.what === 'start'
  if (node.kind === 'sequence') return node.parts.slice(0, 1).some(beginsAtStart)
  if (node.kind === 'either') return [node.first, ...node.others].every(beginsAtStart)
  return node.kind === 'repeat' && node.min > 0 && beginsAtStart(node.of)
}

function holds(assertion: Assertion, text: string, at: number): boolean {
  if (assertion === 'start') return at === 0
  if (assertion === 'end') return at === text.length
  return (isWord(text, at - 1) !== isWord(text, at)) === (assertion === 'word')
}

const isWord = (text: string, at: number): boolean => /[A-Za-z0-9_]/.test(text[at] ?? '')

/**
 * Weights in instructions, which take about 44 bytes each. Measured on Node 24, a compiled expression takes 2 KiB, and 10 to 20 KiB more for
 * each set of Unicode characters that it names.
 */
const pointWeight = 45
const propertyWeight = 450

/** Asks the built-in engine about single code points, where it cannot backtrack; so classes mean exactly what they mean there. */
class PointTest {
  readonly #pattern: RegExp
  /** 0: not asked yet, 1: no, 2: yes. */
  readonly #ascii = new Uint8Array(128)
  readonly weight: number

  constructor(source: string) {
    this.#pattern = new RegExp(`^${source}$`, 'u')
    this.weight = pointWeight + propertyWeight * (source.split(/\\p\{/i).length - 1)
  }

  accepts(point: number): boolean {
    if (point >= 128) return this.#pattern.test(String.fromCodePoint(point))
    const known = this.#ascii[point]!
    if (known !== 0) return known === 2
    const isAccepted = this.#pattern.test(String.fromCharCode(point))
    this.#ascii[point] = isAccepted ? 2 : 1
    return isAccepted
  }
}
