// Patterns of tenants: the answers equal those of the built-in engine, and the number of steps is bounded.
import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { anyPattern, anyText, oversizedPatterns, patternAttacks } from '../../../test/fuzz/hostilePatterns.ts'
import { cacheSizes } from '../boundedCache.ts'
import { StepBudget, TooManySteps } from '../stepBudget.ts'
import { BadPattern, PatternSet } from './linearPattern.ts'
import { isLongForm } from '../../../test/kit/longForm.ts'
import { proves } from '../../../test/kit/proves.ts'

/** How many patterns are compared with the built-in engine. */
const numRuns = isLongForm ? 2000 : 500

const enough = () => new StepBudget(100_000)

const matchesPattern = (source: string, text: string, budget: StepBudget): boolean =>
  new PatternSet().compile(source).matches(text, budget)

function patternProblem(source: string): string | undefined {
  try {
    new PatternSet().compile(source)
    return undefined
  } catch (error) {
    assert.ok(error instanceof BadPattern)
    return error.message
  }
}

proves('bounds.patterns', 'a pattern matches exactly where the built-in engine says that it matches', () => {
  const texts = fc.array(anyText, { minLength: 1, maxLength: 5 })
  let matches = 0
  fc.assert(
    fc.property(anyPattern, texts, (pattern, tried) => {
      let builtIn: RegExp
      try {
        builtIn = new RegExp(pattern, 'u')
      } catch {
        // the pattern has two groups of one name, side by side
        return
      }
      for (const given of tried) {
        // V8 finds a \\B between the halves of a surrogate pair, where ECMAScript has no position
        const text = pattern.includes('\\B') ? given.replaceAll('😀', 'é') : given
        const isMatch = matchesPattern(pattern, text, enough())
        if (isMatch) matches += 1
        assert.equal(isMatch, builtIn.test(text), `${pattern} on ${JSON.stringify(text)}`)
      }
    }),
    // the seed is fixed: the built-in engine could hang on a pattern that nobody has seen
    { numRuns, seed: 20_261_116 },
  )
  assert.ok(matches > numRuns / 2, `${matches} matches`)
})

proves('bounds.patterns', 'escapes of every kind mean what they mean to the built-in engine', () => {
  const patterns = [
    '^\\d{3}-\\d{4}$',
    '^\\S+@\\S+\\.\\S+$',
    '^\\x41\\u0042\\u{43}$',
    '^\\uD83D\\uDE00$',
    '^[\\]\\\\-]$',
    '^\\cJ$',
    '^\\0$',
    '^\\p{Lu}\\P{Lu}$',
    '^[^\\s\\d]$',
    '^\\/\\.\\*\\[\\{$',
    '^(?<year>\\d{4})$',
    '^a|b$',
    '(?:^)?b',
    '',
    '^$',
    '^[\\u{1F600}-\\u{1F64F}]$',
  ]
  const texts = [
    '123-4567',
    'a@b.c',
    'ABC',
    '😀',
    ']',
    '\\',
    '-',
    '\n',
    '\0',
    'Éa',
    'x',
    '/.*[{',
    '2026',
    '',
    'b',
    'ab',
  ]
  for (const pattern of patterns) {
    for (const text of texts) {
      assert.equal(
        matchesPattern(pattern, text, enough()),
        new RegExp(pattern, 'u').test(text),
        `${pattern} on ${text}`,
      )
    }
  }
})

proves('bounds.patterns', 'patterns that hang an engine that backtracks end within their steps', () => {
  for (const { pattern, text } of patternAttacks) {
    assert.equal(patternProblem(pattern), undefined, pattern)
    matchesPattern(pattern, text, new StepBudget(500_000))
  }
  assert.throws(() => matchesPattern('(?:[ab]*a[ab]{300})c', 'ab'.repeat(50_000), enough()), TooManySteps)
  // many short texts cost as much as one long one
  const budget = enough()
  assert.throws(() => {
    for (let times = 0; times < 100_000; times += 1) matchesPattern('^(?:a?){50}b$', 'a'.repeat(50), budget)
  }, TooManySteps)
})

proves('bounds.patterns', 'what cannot be matched in linear time, or is too large, is refused with its reason', () => {
  for (const pattern of ['(?=a)', '(?!a)', '(?<=a)', '(?<!a)b']) assert.match(patternProblem(pattern)!, /look-ahead/)
  for (const pattern of ['(a)\\1', '(?<n>a)\\k<n>']) assert.match(patternProblem(pattern)!, /back-reference/)
  assert.match(patternProblem('(?i:a)')!, /flags/)
  for (const pattern of ['[', '(', 'a{2,1}', '\\', '*', '\\p{Nope}']) {
    assert.match(patternProblem(pattern)!, /is not a regular expression: ./, pattern)
  }
  for (const pattern of oversizedPatterns) assert.match(patternProblem(pattern)!, /too often|longer|Unicode/, pattern)
  assert.equal(patternProblem('(?:){1000000000}'), undefined)
})

const kept = () => cacheSizes().find(({ name }) => name === 'patterns')!

proves(
  'bounds.caches',
  'the compiled patterns of any number of schemas take bounded memory, with the sets of characters that they name',
  () => {
    for (let n = 0; n < 1000; n += 1) matchesPattern(`^a{${n % 500}}x${n}$`, 'a', enough())
    assert.ok(kept().entries <= 500 && kept().size <= 200_000, JSON.stringify(kept()))
    // a set of Unicode characters takes 10 to 20 KiB, so 500 patterns with twenty of them would take more than 100 MB
    const sets = ['L', 'Lu', 'Ll', 'N', 'P', 'S', 'M', 'Z', 'C', 'Lt']
      .map((name) => `\\p{${name}}\\P{${name}}`)
      .join('')
    for (let n = 0; n < 100; n += 1) matchesPattern(`${sets}${n}`, 'a', enough())
    assert.ok(kept().entries <= 25 && kept().size <= 200_000, JSON.stringify(kept()))
  },
)
