// The variables of a secret: what they may be called and hold, and how they are sealed.
import { isCuttable, lengthMin } from '../../base/knownSecrets.ts'
import type { SealedColumn } from '../../base/sealedColumns.ts'
import { isSecretWord, secretWord } from '../../base/secretMark.ts'
import type { Keyring } from '../../base/secrets.ts'
import { nullable, Type } from '../../kit/schema.ts'

export type Variables = Record<string, string>

const variablesMax = 100
const bytesMax = 64 * 1024
const Value = Type.String({ minLength: 1, maxLength: 8000 })
const VariableName = Type.String({ pattern: secretWord })

export const NewValues = Type.Record(VariableName, Value, {
  minProperties: 1,
  maxProperties: variablesMax,
  description: `Variables by their names. Never shown again. A value has at least ${lengthMin} characters: a shorter one could not be cut out of texts, since it may be any word.`,
  examples: [{ CRM_TOKEN: 'example-0123456789' }],
})

export const ChangedValues = Type.Record(VariableName, nullable(Value), {
  minProperties: 1,
  maxProperties: variablesMax,
  description: `Variables to set, by their names; null removes one. The others stay. A value has at least ${lengthMin} characters.`,
  examples: [{ CRM_TOKEN: 'example-9876543210' }],
})

export const RenamedKeys = Type.Record(VariableName, VariableName, {
  maxProperties: variablesMax,
  description: 'New names of variables, by their old ones. Their values stay.',
})

/** Variables by which a shell, a loader or an interpreter finds its programs and code: with another value commands would not run. */
const reserved =
  /^(?:PATH|HOME|LANG|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|PYTHON\w*|NODE_\w+|LD_\w+|https?_proxy|__proto__)$/i

/** The values that somebody sends, without those that were stored before this rule. */
export function shortValues(values: Record<string, string | null>): string[] {
  const short = Object.keys(values).filter((name) => values[name] !== null && !isCuttable(values[name]!))
  return short.map(
    (name) =>
      `values.${name} must have at least ${lengthMin} characters: a shorter one could be any word and would not be cut out. What is no secret belongs into the procedure.`,
  )
}

/** Everything that is wrong with the names and values together. */
export function problemsOf(variables: Variables): string[] {
  const problems: string[] = []
  for (const name of Object.keys(variables)) {
    if (!isSecretWord(name)) {
      problems.push('values has a name that is not the name of a variable: letters, digits and _, not a digit first.')
    } else if (reserved.test(name)) problems.push(`values must not set ${name}: commands need their own.`)
  }
  if (Object.keys(variables).length === 0) problems.push('values must keep at least one variable.')
  if (Object.keys(variables).length > variablesMax) problems.push(`values must have at most ${variablesMax} variables.`)
  if (Buffer.byteLength(JSON.stringify(variables)) > bytesMax) {
    problems.push(`values must have at most ${bytesMax / 1024} KiB together.`)
  }
  return [...new Set(problems)]
}

const purposeOf = (secretId: string): string => `secret ${secretId}`

export const sealedSecret: SealedColumn = {
  table: 'secrets',
  column: 'sealed',
  key: ['id'],
  purpose: ({ id }) => purposeOf(id!),
}

export const sealVariables = (keyring: Keyring, secretId: string, variables: Variables): Buffer =>
  keyring.seal(JSON.stringify(variables), purposeOf(secretId))

export const openVariables = (keyring: Keyring, secretId: string, sealed: Uint8Array): Variables =>
  JSON.parse(keyring.open(sealed, purposeOf(secretId)).toString()) as Variables
