// approve and ask: what a person is asked, with a title, a text and answers to choose from.
import { schemaProblems } from '../../../../base/jsonSchema/jsonSchema.ts'
import { headAndRest, withoutBlankEdges, type BlockAction, type Draft, type Line } from '../block.ts'
import { isRecord } from '../../../../base/isRecord.ts'
import { CannotRender } from '../../../../base/expression/text.ts'
import { indexOutsideHoles, type Template } from '../template.ts'
import type { Fill } from '../block.ts'

const titleMax = 300
const expiresMaxS = 365 * 86_400

export function approveBlock(draft: Draft): BlockAction {
  const { title, rest } = readTitle(draft, 'what is to be approved')
  const description = rest.text === '' ? undefined : draft.template(rest.text, rest.line, 'text')
  const limits = readLimits(draft)
  return {
    tool: 'human_approve',
    resolve: (fill) => ({
      title: filledTitle(title, fill),
      ...(description && { description: fill(description) }),
      ...limits,
    }),
  }
}

export function askBlock(draft: Draft): BlockAction {
  const { title, rest } = readTitle(draft, 'the question')
  const { text, form, options } = splitAsk(draft, rest)
  const description = text.text === '' ? undefined : draft.template(text.text, text.line, 'text')
  const limits = readLimits(draft)
  const header = draft.attributes.get('header')
  const multi = draft.attributes.get('multi')
  if (form && (header ?? multi) !== undefined)
    draft.tell(draft.line, 'A form takes no header= and no multi=. Remove them.')
  const asks = (fill: Fill): object => {
    if (form) return { form_schema: fill(form) }
    const question = {
      question: filledTitle(title, fill),
      ...(header !== undefined && { header }),
      ...(options.length > 0 && { options: options.map((option) => filledOption(option, fill)) }),
      ...(multi === 'true' && { multi_select: true }),
    }
    return { questions: [question] }
  }
  return {
    tool: 'human_ask',
    resolve: (fill) => ({
      title: filledTitle(title, fill),
      ...(description && { description: fill(description) }),
      ...asks(fill),
      ...limits,
    }),
  }
}

function readTitle(draft: Draft, what: string): { title: Template; rest: Line } {
  const { head, rest } = headAndRest(draft)
  if (!head) draft.tell(draft.line, `This ${draft.kind} block has no title. Write ${what} in its first line.`)
  const title = draft.template(head?.text ?? '', head?.line ?? draft.line, 'text')
  if (title.literals.join('').length > titleMax)
    draft.tell(head!.line, `The title is longer than ${titleMax} characters. Put the rest below it.`)
  return { title, rest }
}

function filledTitle(title: Template, fill: Fill): string {
  const text = String(fill(title)).replaceAll(/\s+/g, ' ').trim()
  if (text === '') throw new CannotRender('The title is empty. Give the value a default: {{ … | default("…") }}.')
  return text
}

function readLimits(draft: Draft): { expires_in_s?: number; on_timeout?: string } {
  const onTimeout = draft.attributes.get('on_timeout')
  if (onTimeout !== undefined && draft.timeoutS === undefined) {
    draft.tell(draft.line, 'on_timeout= needs timeout=, e.g. timeout=24h.')
  }
  const { timeoutS } = draft
  if (timeoutS !== undefined && timeoutS > expiresMaxS)
    draft.tell(draft.line, 'A person can be waited for 365 days at most.')
  return {
    ...(timeoutS !== undefined && { expires_in_s: Math.ceil(timeoutS) }),
    ...(onTimeout !== undefined && { on_timeout: onTimeout }),
  }
}

interface Option {
  label: Template
  description: Template | undefined
}

const item = /^ {0,3}[-*+] +/

/** Text first; then a list of options, or the JSON Schema of a form. */
function splitAsk(draft: Draft, rest: Line): { text: Line; form: Template | undefined; options: Option[] } {
  const lines = rest.text.split('\n')
  const from = lines.findIndex((text) => item.test(text) || /^\s*\{(?!\{)/.test(text))
  if (from === -1) return { text: rest, form: undefined, options: [] }
  const text = withoutBlankEdges(lines.slice(0, from), rest.line)
  if (!item.test(lines[from]!)) {
    const form = draft.template(lines.slice(from).join('\n'), rest.line + from, 'json_value', 'form schema')
    checkSchema(draft, form, rest.line + from)
    return { text, form, options: [] }
  }
  const options: Option[] = []
  const labels = new Set<string>()
  for (let index = from; index < lines.length; index += 1) {
    const written = lines[index]!
    if (written.trim() === '') continue
    const line = rest.line + index
    if (!item.test(written)) draft.tell(line, 'After the options nothing else can stand. Write the text before them.')
    const { label, description } = splitOption(written.replace(item, '').trim())
    if (label === '') draft.tell(line, 'This option is empty. Write - Label, or - Label: what it means.')
    if (labels.has(label)) draft.tell(line, `The option ${JSON.stringify(label.slice(0, 60))} stands twice. Keep one.`)
    labels.add(label)
    options.push({
      label: draft.template(label, line, 'text'),
      description: description === '' ? undefined : draft.template(description, line, 'text'),
    })
  }
  return { text, form: undefined, options }
}

/** A schema that contains values can only be checked when they are known: human_ask does so. */
function checkSchema(draft: Draft, { literals, holes }: Template, line: number): void {
  if (holes.length > 0) return
  let schema: unknown
  try {
    schema = JSON.parse(literals.join(''))
  } catch (error) {
    // reading the template has already reported why it is not JSON
    if (error instanceof SyntaxError) return
    throw error
  }
  if (!isRecord(schema)) return
  for (const { path, message } of schemaProblems(schema)) {
    draft.tell(line, `The form schema cannot be used: ${path === '' ? 'it' : path} ${message}.`)
  }
}

function splitOption(text: string): { label: string; description: string } {
  const colon = indexOutsideHoles(text, ': ')
  if (colon === -1) return { label: text, description: '' }
  return { label: text.slice(0, colon).trim(), description: text.slice(colon + 2).trim() }
}

const filledOption = ({ label, description }: Option, fill: Fill): object => ({
  label: fill(label),
  ...(description && { description: fill(description) }),
})
