// Patterns that hang a backtracking engine, each with a text that triggers it; and random patterns for comparisons.
import * as fc from 'fast-check'

export interface PatternAttack {
  pattern: string
  text: string
}

/** Each takes years with a backtracking engine, or much of the memory with one that only counts states. */
export const patternAttacks: PatternAttack[] = [
  { pattern: '^(a+)+$', text: `${'a'.repeat(60)}!` },
  { pattern: '^(a|aa)+$', text: `${'a'.repeat(60)}!` },
  { pattern: '^(?:.*,){20}x$', text: ','.repeat(60) },
  { pattern: '(x+x+)+y', text: 'x'.repeat(5000) },
  { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', text: 'a'.repeat(60) },
  { pattern: '^(?:a?){50}a{50}$', text: 'a'.repeat(50) },
  { pattern: '(?:[ab]*a[ab]{300})c', text: 'ab'.repeat(2000) },
  { pattern: '(?:.*.*a){150}$', text: 'ba'.repeat(1000) },
]

/** Each would be enormous as a program, or is more than a pattern needs. */
export const oversizedPatterns: string[] = [
  '(a{1000}){1000}',
  '(?:(?:(?:a{100}){100}){100}){100}',
  'a{1000}'.repeat(100),
  `${'('.repeat(600)}a${')'.repeat(600)}`,
  '[\\p{L}\\P{L}]'.repeat(60),
  'a{2147483647}',
]

const point = fc.constantFrom(
  'a',
  'b',
  'c',
  '.',
  '[ab]',
  '[^a]',
  '\\w',
  '\\s',
  '\\u{1F600}',
  'é',
  '[]',
  '[^]',
  '\\p{L}',
)
const assertion = fc.constantFrom('^', '$', '\\b', '\\B')
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '{0}')

/** These are small, so that the built-in engine can be asked too, and use nothing that a linear engine leaves out. */
export const anyPattern: fc.Arbitrary<string> = fc.letrec<{ pattern: string; term: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie('term'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((branches) => branches.map((terms) => terms.join('')).join('|')),
  term: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.tuple(point, quantifier).map(([one, times]) => one + times),
    assertion,
    fc.tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('pattern'), quantifier).map(([open, inside, times]) => {
      // a group name may occur once
      return `${open === '(?<n>' && inside.includes('(?<n>') ? '(' : open}${inside})${times}`
    }),
  ),
})).pattern

export const anyText: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', ' ', '\n', 'é', '😀', '\ud83d', '_'),
  maxLength: 5,
})
