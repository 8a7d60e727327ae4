// The value of a field from what was typed: text, a number, JSON, or the content of a file.
import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { flagOf } from '../../../server/src/kit/sourceText.ts'
import { UsageError } from '../command.ts'
import type { OperationField } from './operationRow.ts'

/** `@FILE` is the text of a file, `@@…` a text that begins with @, `-` what comes in on stdin. */
export async function typedText(typed: string): Promise<string> {
  if (typed === '-') return textOf(process.stdin)
  if (typed.startsWith('@@')) return typed.slice(1)
  return typed.startsWith('@') ? readFile(typed.slice(1), 'utf8') : typed
}

export function jsonOf(text: string, flag: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${flag} must be JSON: ${(error as Error).message}.`, { cause: error })
  }
}

export async function fieldValue({ name, kind, choices }: OperationField, typed: string | boolean): Promise<unknown> {
  const flag = `--${flagOf(name)}`
  if (typeof typed === 'boolean') return typed
  if (kind === 'file') return typed
  const text = await typedText(typed)
  if (choices && !choices.some((one) => String(one) === text)) {
    throw new UsageError(`${flag} must be one of: ${choices.join(', ')}.`)
  }
  if (kind === 'text') return text
  if (kind === 'mixed') return /^\s*[[{]/.test(text) ? jsonIfItIs(text) : text
  if (text === 'null') return null
  if (kind === 'json') return jsonOf(text, flag)
  if (kind === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new UsageError(`${flag} must be true or false.`)
  }
  const number = Number(text)
  if (text.trim() === '' || Number.isNaN(number)) throw new UsageError(`${flag} must be a number.`)
  return number
}

function jsonIfItIs(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text // a message may begin with a bracket
  }
}
