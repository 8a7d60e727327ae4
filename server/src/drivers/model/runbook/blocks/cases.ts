// case and wait: what becomes of the case, and until when the run rests.
import { content, headAndRest, withoutBlankEdges, type BlockAction, type Draft, type Line } from '../block.ts'
import { CannotRender } from '../../../../base/expression/text.ts'
import { momentHint, readMoment } from '../durations.ts'
import { readWords } from '../blockOptions.ts'
import { misspelt } from '../misspelling.ts'
import type { Fill } from '../block.ts'
import type { Template } from '../template.ts'

export function waitBlock(draft: Draft): BlockAction {
  const { head, rest } = headAndRest(draft)
  if (!head) draft.tell(draft.line, `This wait block is empty. ${momentHint}`)
  if (rest.text !== '') draft.tell(rest.line, 'A wait block has one line. Remove the others.')
  const moment = readMomentText(draft, head ?? { text: '1s', line: draft.line })
  return { tool: 'schedule_wait', resolve: (fill) => filledMoment(moment, fill) }
}

/** Without holes it is checked now, with them when the values are there. */
function readMomentText(draft: Draft, { text, line }: Line): Template {
  const template = draft.template(text, line, 'text')
  if (template.holes.length === 0 && !readMoment(template.literals[0]!)) {
    draft.tell(line, `${JSON.stringify(text.slice(0, 40))} is neither a duration nor a time. ${momentHint}`)
  }
  return template
}

function filledMoment(template: Template, fill: Fill): object {
  const text = String(fill(template))
  const moment = readMoment(text)
  if (!moment)
    throw new CannotRender(`${JSON.stringify(text.slice(0, 60))} is neither a duration nor a time. ${momentHint}`)
  return moment
}

const verbs = { complete, create, fail, postpone }

/** How its first line is written, by its first word. */
export const caseUsage: Record<keyof typeof verbs, string> = {
  complete: 'complete, and the result below it',
  create: 'create queue=name, its title and its data below it',
  fail: 'fail, and the reason below it',
  postpone: 'postpone 1d, and a reason below it',
}

interface Order {
  /** The words after the verb. */
  words: string
  line: number
  rest: Line
}

/** The verb comes after the block's name or in the first line. */
export function caseBlock(draft: Draft): BlockAction {
  const { head, rest } = headAndRest(draft)
  const isInFence = draft.words.length > 0
  const spoken = isInFence ? draft.words.join(' ') : (head?.text ?? '')
  const verb = /^\S*/.exec(spoken)![0]
  const line = isInFence ? draft.line : (head?.line ?? draft.line)
  const known = Object.hasOwn(verbs, verb) ? verbs[verb as keyof typeof verbs] : undefined
  if (!known) {
    const said =
      verb === '' ? 'This case block is empty' : `${JSON.stringify(verb.slice(0, 20))} cannot be done to a case`
    const misspelling = misspelt(verb, Object.keys(verbs))
    draft.tell(line, `${said}. Begin with complete, fail, postpone 1d or create queue=….`, misspelling)
    return { tool: 'case_complete', resolve: () => ({}) }
  }
  const whole = withoutBlankEdges(draft.body.split('\n'), draft.line + 1)
  const order = { words: spoken.slice(verb.length).trim(), line, rest: isInFence ? whole : rest }
  if (verb !== 'create' && (draft.attributes.has('queue') || draft.attributes.has('title'))) {
    draft.tell(draft.line, 'queue= and title= belong to create. Remove them.')
  }
  if (order.words !== '' && (verb === 'complete' || verb === 'fail')) {
    draft.tell(line, `Nothing can follow ${verb} on its line. Write the text below it.`)
  }
  return known(draft, order)
}

function complete(draft: Draft, { rest }: Order): BlockAction {
  const result = rest.text === '' ? undefined : content(draft, rest, 'result')
  return { tool: 'case_complete', resolve: (fill) => (result ? { result: fill(result) } : {}) }
}

function fail(draft: Draft, { rest, line }: Order): BlockAction {
  if (rest.text === '') draft.tell(line, 'Say why the case fails, in the line below fail.')
  const reason = draft.template(rest.text, rest.line, 'text')
  return { tool: 'case_fail', resolve: (fill) => ({ reason: fill(reason) }) }
}

function postpone(draft: Draft, { words, line, rest }: Order): BlockAction {
  if (words === '') draft.tell(line, `Say for how long: postpone 1d. ${momentHint}`)
  const moment = readMomentText(draft, { text: words === '' ? '1d' : words, line })
  const reason = rest.text === '' ? undefined : draft.template(rest.text, rest.line, 'text')
  return {
    tool: 'case_postpone',
    resolve: (fill) => ({ ...filledMoment(moment, fill), ...(reason && { reason: fill(reason) }) }),
  }
}

/** `create queue=refunds`, then the title's line, then the data; or the title as `title=`. */
function create(draft: Draft, { words, line, rest }: Order): BlockAction {
  const given = readWords(words)
  for (const problem of given.problems) draft.tell(line, problem)
  for (const name of [...given.bare, ...given.attributes.keys()]) {
    if (name !== 'queue' && name !== 'title')
      draft.tell(line, `${JSON.stringify(name)} means nothing here. Write create queue=name title="…".`)
  }
  const attribute = (name: string): string => given.attributes.get(name) ?? draft.attributes.get(name) ?? ''
  const queue = attribute('queue')
  if (queue.trim() === '') draft.tell(line, 'Say in which queue: create queue=name.')
  const lines = rest.text.split('\n')
  const hasTitleLine = attribute('title') === ''
  const title = hasTitleLine ? lines[0]!.trim() : attribute('title')
  if (title.trim() === '')
    draft.tell(line, 'A new case has a title. Write it in the line below create, or as title="…".')
  const titleText = draft.template(title, hasTitleLine ? rest.line : line, 'text')
  const data = hasTitleLine ? withoutBlankEdges(lines.slice(1), rest.line + 1) : rest
  const isJson = /^(?:\{(?!\{)|\[)/.test(data.text)
  const dataText = draft.template(data.text, data.line, isJson ? 'json_text' : 'text', 'data of the case')
  return { tool: 'case_create', resolve: (fill) => ({ queue, title: fill(titleText), data: fill(dataText) }) }
}
