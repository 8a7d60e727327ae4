// The variables of a secret: what they may be called and hold, and how they are sealed.
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
  description:
    'Variables by their names. Never shown again. A value of fewer than 6 characters is not cut out of texts: it could be any word.',
  examples: [{ CRM_TOKEN: 'example-0123456789' }],
})

export const ChangedValues = Type.Record(VariableName, nullable(Value), {
  minProperties: 1,
  maxProperties: variablesMax,
  description: 'Variables to set, by their names; null removes one. The others stay.',
  examples: [{ CRM_TOKEN: 'example-9876543210' }],
})

export const RenamedKeys = Type.Record(VariableName, VariableName, {
  maxProperties: variablesMax,
  description: 'New names of variables, by their old ones. Their values stay.',
})

/** Variables by which a shell, a loader or an interpreter finds its programs and code: with another value commands would not run. */
const reserved =
  /^(?:PATH|HOME|LANG|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|PYTHON\w*|NODE_\w+|LD_\w+|https?_proxy|__proto__)$/i

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
