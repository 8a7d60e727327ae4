// The input of a run while a person writes it: in a form made from what the procedure reads, as text, or as JSON.
import type { ProcedureInputs } from '@runyard/sdk'
import { checkForm, emptyForm, type Problems } from '../../parts/schemaValue.ts'
import { formOfMessage, hasFields, messageOfForm, shownSchema } from './inputForm.ts'

export type MessageDraft = { kind: 'form'; value: unknown } | { kind: 'text' | 'json'; text: string }
export type MessageKind = MessageDraft['kind']

/** Undefined: what the procedure reads is not known. */
type Known = ProcedureInputs['schema'] | undefined

export const kindsFor = (schema: Known): MessageKind[] =>
  schema && hasFields(schema) ? ['form', 'text', 'json'] : ['text', 'json']

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What the draft begins with: the message of another run, or nothing. */
export function draftOf(message: unknown, schema: Known): MessageDraft {
  if (typeof message === 'string') return { kind: 'text', text: message }
  const isNothing = message === undefined || message === null
  if (schema && hasFields(schema)) {
    if (isNothing) return { kind: 'form', value: emptyForm(shownSchema(schema)) }
    if (isObject(message)) return { kind: 'form', value: formOfMessage(schema, message) }
  }
  return isNothing ? { kind: 'text', text: '' } : { kind: 'json', text: JSON.stringify(message, null, 2) }
}

interface Read {
  /** Undefined: without a message. */
  message?: string | Record<string, unknown>
  /** Why it cannot be sent, as a sentence. */
  problem?: string
  /** What is wrong with fields of the form. */
  problems?: Problems
}

export function messageOfDraft(draft: MessageDraft, schema: Known): Read {
  if (draft.kind === 'form') {
    if (!schema) return {}
    const message = messageOfForm(schema, draft.value)
    return {
      problems: checkForm(shownSchema(schema), draft.value),
      ...(Object.keys(message).length > 0 && { message }),
    }
  }
  const { kind, text } = draft
  if (text.trim() === '') return {}
  if (kind === 'text') return { message: text }
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return { message: value }
    return { problem: 'The JSON must be an object: it begins with { and ends with }.' }
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}.` }
  }
}

/** The same input in another form; what cannot be taken over is kept as it is. */
export function inKind(draft: MessageDraft, kind: MessageKind, schema: Known): MessageDraft {
  if (draft.kind === kind) return draft
  if (draft.kind === 'form') {
    const { message } = messageOfDraft(draft, schema)
    return { kind: kind === 'text' ? 'text' : 'json', text: message ? JSON.stringify(message, null, 2) : '' }
  }
  if (kind === 'form') {
    const { message } = messageOfDraft({ kind: 'json', text: draft.text }, schema)
    return draftOf(isObject(message) ? message : undefined, schema)
  }
  return { kind, text: kind === 'json' && draft.text.trim() === '' ? '{\n  \n}' : draft.text }
}
