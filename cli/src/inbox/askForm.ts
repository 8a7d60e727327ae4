// Asks a person for the fields of a form, one after the other: what does not fit is asked for again, with the reason.
import { harmless } from '../output.ts'
import { cutTo } from '../screenWidth.ts'
import type { Asking } from './askPerson.ts'
import { choose } from './choose.ts'
import { checked, fieldsOf, textOf, valueOf, type Field } from './formField.ts'

type Values = Record<string, unknown>
const later = Symbol('later')
const leftOut = Symbol('left out')

/** The values, or undefined when the person leaves it for later. `before`: what was given when the whole did not fit. */
export async function askForm(schema: unknown, before: Values, asking: Asking): Promise<Values | undefined> {
  const fields = fieldsOf(schema)
  if (fields.length === 0) return askJson(asking)
  const values: [string, unknown][] = []
  for (const [index, field] of fields.entries()) {
    const usual = Object.hasOwn(before, field.name) ? before[field.name] : field.schema.default
    showField(field, `${index + 1}/${fields.length}`, asking)
    const value = await (field.options ? askChoice(field, usual, asking) : askText(field, usual, asking))
    if (value === later) return undefined
    if (value !== leftOut) values.push([field.name, value])
  }
  return Object.fromEntries(values)
}

function showField({ label, about, isRequired, takes, options }: Field, position: string, { out }: Asking): void {
  const facts = [isRequired ? '' : 'optional', options ? '' : takes].filter(Boolean).join(', ')
  out.note(`${position} ${label}${facts === '' ? '' : ` (${facts})`}`)
  if (about !== undefined) out.note(`    ${about}`)
}

async function askText(field: Field, usual: unknown, { keyboard, out, signal }: Asking): Promise<unknown> {
  const hint = usual === undefined ? '' : ` [${cutTo(harmless(textOf(usual)), Math.floor(out.width / 3))}]`
  for (;;) {
    const text = await keyboard.line(`  ❯${hint} `, signal)
    if (text === undefined) return later
    if (text === '' && usual !== undefined) return usual
    if (text === '' && !field.isRequired) return leftOut
    const given =
      text === '' ? { problem: `${field.label} is needed. Esc leaves the form for later.` } : valueOf(field, text)
    if ('value' in given) return given.value
    out.note(`  ${given.problem}`)
  }
}

async function askChoice(field: Field, usual: unknown, asking: Asking): Promise<unknown> {
  const { several, isRequired } = field
  const options = field.options ?? []
  const usualOnes = several && Array.isArray(usual) ? (usual as unknown[]) : [usual]
  const isUsual = (value: unknown) => usualOnes.some((one) => JSON.stringify(one) === JSON.stringify(value))
  const chosen = options.flatMap(({ value }, index) => (isUsual(value) ? [index] : []))
  const none = several || isRequired ? [] : [{ label: 'no answer' }]
  for (;;) {
    const found = await choose([...options, ...none], { several, chosen }, asking)
    if (!found) return later
    const picked = options.filter((_, index) => found.includes(index))
    asking.out.note(`  ❯ ${picked.map(({ label }) => label).join(', ') || 'no answer'}`)
    if (picked.length === 0 && !isRequired) return leftOut
    const given = checked(field, several ? picked.map(({ value }) => value) : picked[0]?.value)
    if ('value' in given) return given.value
    asking.out.note(`  ${given.problem}`)
  }
}

/** A form that names no fields takes any object. */
async function askJson({ keyboard, out, signal }: Asking): Promise<Values | undefined> {
  for (;;) {
    const text = await keyboard.line('A JSON object (Esc: later): ', signal)
    if (text === undefined) return undefined
    try {
      const value = JSON.parse(text) as unknown
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Values
      out.note('It must be an object, such as {"name": "value"}.')
    } catch (error) {
      out.note(`This is not JSON: ${(error as Error).message}.`)
    }
  }
}
