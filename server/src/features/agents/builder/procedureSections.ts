// The sections of a procedure by their headings, and how lines are added to one without touching the rest.
import { openingOf } from '../../../drivers/model/runbook/fences.ts'

type SectionName = 'Goal' | 'Steps' | 'Notes'

interface Heading {
  /** Index of its line. */
  at: number
  level: number
  text: string
}

const meant: Record<SectionName, RegExp> = {
  Goal: /^(?:goal|purpose|aim|objective)s?\b/i,
  Steps: /^(?:steps?|procedure|what to do)\b/i,
  Notes: /^(?:notes?|rules?|remarks?)\b/i,
}

/** Whether a line opens a fenced block; if so, which line ends it. */
export function endOfBlock(line: string): ((line: string) => boolean) | undefined {
  const opening = openingOf(line)
  if (!opening || 'why' in opening) return undefined
  const { mark, length } = opening
  return (other) => {
    const text = other.trim()
    return text.length >= length && /^ {0,3}\S/.test(other) && text === mark.repeat(text.length)
  }
}

/** A line inside a fenced block is not a heading. */
function headingsOf(lines: string[]): Heading[] {
  const found: Heading[] = []
  let isEnd: ((line: string) => boolean) | undefined
  for (const [at, line] of lines.entries()) {
    if (isEnd) {
      if (isEnd(line)) isEnd = undefined
      continue
    }
    if (!/^ {0,3}[#`~]/.test(line)) continue
    isEnd = endOfBlock(line)
    const [, marks, text = ''] = /^ {0,3}(#{1,6})\s+(\S.*)$/.exec(line) ?? []
    if (marks) found.push({ at, level: marks.length, text })
  }
  return found
}

interface Place {
  from: number
  to: number
}

/** The lines below its heading, up to the next one of the same rank. */
function findSection(lines: string[], name: SectionName): Place | undefined {
  const headings = headingsOf(lines)
  const heading = headings.find(({ text }) => meant[name].test(text))
  if (!heading) return undefined
  const { at, level } = heading
  const next = headings.find((one) => one.at > at && one.level <= level)
  return { from: at + 1, to: next?.at ?? lines.length }
}

/** Its lines; empty when there is none. */
export function sectionOf(markdown: string, name: SectionName): string[] {
  const lines = markdown.split('\n')
  const place = findSection(lines, name)
  return place ? lines.slice(place.from, place.to) : []
}

/** Whether it says what it is for: under such a heading, or in a first paragraph before everything else. */
export function namesGoal(markdown: string): boolean {
  if (sectionOf(markdown, 'Goal').some((line) => line.trim() !== '')) return true
  const first = markdown.split('\n').find((line) => line.trim() !== '' && !/^#\s/.test(line)) ?? ''
  return /^\p{L}/u.test(first) && first.trim().split(/\s+/).length >= 3
}

/** The text with these lines at the end of the section; one that is missing is made, the goal before the others, the rest behind. */
export function addToSection(markdown: string, name: SectionName, added: string[]): string {
  if (added.length === 0) return markdown
  const lines = markdown.trimEnd().split('\n')
  const place = findSection(lines, name)
  if (!place) return name === 'Goal' ? withGoalFirst(lines, added) : joined(lines, ['', `## ${name}`, '', ...added])
  let end = place.to
  while (end > place.from && lines[end - 1]?.trim() === '') end -= 1
  // a list continues right below; after anything else, and before a paragraph, a line is left empty
  const isList = /^\s*(?:[-*+]|\d+[.)])\s/
  const goesOn = end > place.from && isList.test(lines[end - 1] ?? '') && isList.test(added[0] ?? '')
  const after = lines.slice(place.to)
  return joined(lines.slice(0, end), [...(goesOn ? [] : ['']), ...added, ...(after.length > 0 ? ['', ...after] : [])])
}

/** What stood first gets a heading of its own, or it would seem to belong to the goal. */
function withGoalFirst(lines: string[], added: string[]): string {
  const title = lines.findIndex((line) => line.trim() !== '')
  const at = title !== -1 && /^#\s/.test(lines[title] ?? '') ? title + 1 : 0
  const rest = lines.slice(at).join('\n').trim()
  const heading = findSection(lines, 'Steps') ? '## About' : '## Steps'
  const after = rest === '' ? [] : /^#{1,6}\s/.test(rest) ? ['', rest] : ['', heading, '', rest]
  return joined(lines.slice(0, at), [...(at > 0 ? [''] : []), '## Goal', '', ...added, ...after])
}

const joined = (before: string[], after: string[]): string => `${[...before, ...after].join('\n').trim()}\n`
