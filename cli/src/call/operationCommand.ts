// One operation as a command: `runyard call startRun` with a flag for each field.
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Runyard } from '../../../sdk/src/index.ts'
import { flagOf } from '../../../server/src/kit/sourceText.ts'
import {
  command,
  CommandFailed,
  UsageError,
  type Call,
  type Command,
  type Option,
  type Options,
  type Values,
} from '../command.ts'
import { operations } from '../generated/operations.ts'
import { jsonText, listUnreadMax, type Output } from '../output.ts'
import { writeBytes } from './fileOut.ts'
import { fieldValue, jsonOf, typedText } from './fieldValue.ts'
import type { OperationField, OperationRow } from './operationRow.ts'

export function operationCommand(name: string): Command {
  const operation = operations.find(({ id }) => id === name)
  if (!operation) throw new UsageError(unknownOperation(name))
  const { id, summary, says } = operation
  const options = optionsOf(operation)
  return command({
    words: `call ${id}`,
    needs: 'service',
    says: `${summary}.`,
    about: says,
    options,
    hidesShared: true,
    examples: [exampleOf(operation), `runyard call ${id} --help`],
    run: (call) => carryOut(operation, call),
  })
}

function unknownOperation(name: string): string {
  const wanted = name.toLowerCase()
  const near = operations.filter(({ id }) => id.toLowerCase().includes(wanted) || wanted.includes(id.toLowerCase()))
  const hint = near.length > 0 && near.length < 10 ? `Did you mean ${near.map(({ id }) => id).join(', ')}? ` : ''
  return `There is no operation "${name}". ${hint}runyard call lists them all.`
}

const valueNames: Record<OperationField['kind'], string> = {
  text: 'TEXT',
  number: 'NUMBER',
  boolean: 'true|false',
  json: 'JSON',
  mixed: 'TEXT|JSON',
  file: 'FILE',
}

function optionsOf({ parameters, fields, answer, input }: OperationRow): Options {
  const listed: Record<string, Option> = {}
  for (const name of parameters) listed[flagOf(name)] = { type: 'string', value: 'ID', isRequired: true, says: '' }
  for (const { name, kind, isRequired, says, choices } of fields) {
    const about = [says, choices ? `One of: ${choices.join(', ')}.` : '']
    const text = about.filter(Boolean).join(' ')
    listed[flagOf(name)] = { type: 'string', value: valueNames[kind], says: text, ...(isRequired && { isRequired }) }
  }
  if (input === 'body' || input === 'query') {
    listed['input'] = { type: 'string', value: 'JSON|@FILE|-', says: 'all fields at once; a flag replaces its field' }
  }
  if (answer === 'list') listed['all'] = { type: 'boolean', says: 'the rows of all pages, one on each line' }
  if (answer === 'file')
    listed['out'] = { type: 'string', value: 'FILE', says: 'where the file goes; stdout in a pipe' }
  if (input === 'body')
    listed['idempotency-key'] = { type: 'string', value: 'KEY', says: 'the same key again is not carried out twice' }
  return listed
}

function exampleOf({ id, parameters, fields }: OperationRow): string {
  const needed = [...parameters, ...fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)]
  return ['runyard call', id, ...needed.map((name) => `--${flagOf(name)} …`)].join(' ')
}

async function carryOut(operation: OperationRow, call: Call<Values<Options>>): Promise<void> {
  const values = call.values as Record<string, string | boolean | undefined>
  const given = await readFields(operation, values)
  const runyard = await call.service()
  const { out, signal } = call
  if (operation.answer === 'events') {
    return printEach(eventsOf(runyard, operation, given, signal), out)
  }
  const answer = await answerOf(runyard, operation, given, { values, signal })
  if (operation.answer === 'file') {
    const { blob } = answer as { blob: Blob }
    return writeBytes(new Uint8Array(await blob.arrayBuffer()), values['out'] as string | undefined, out)
  }
  if (operation.answer === 'list' && values['all']) {
    await printEach(answer as AsyncIterable<unknown>, out, listUnreadMax)
  } else if (answer !== undefined) {
    const page = operation.answer === 'list' ? await (answer as { page: () => Promise<unknown> }).page() : answer
    out.line(jsonText(page, 2))
  }
}

async function printEach(values: AsyncIterable<unknown>, out: Output, unreadMax = 0): Promise<void> {
  for await (const value of values) {
    out.line(jsonText(value))
    await out.taken({ unreadMax })
  }
}

interface Given {
  parameters: string[]
  input: Record<string, unknown>
}

async function readFields(
  operation: OperationRow,
  values: Record<string, string | boolean | undefined>,
): Promise<Given> {
  const { parameters, fields } = operation
  const whole = values['input']
  const isField = fields.some(({ name }) => name === 'input')
  const input: Record<string, unknown> =
    typeof whole === 'string' && !isField ? objectOf(jsonOf(await typedText(whole), '--input')) : {}
  for (const field of fields) {
    const typed = values[flagOf(field.name)]
    if (typed !== undefined) input[field.name] = await fieldValue(field, typed)
  }
  const missing = [
    ...parameters.filter((name) => !values[flagOf(name)]),
    ...fields.filter(({ name, isRequired }) => isRequired && input[name] === undefined).map(({ name }) => name),
  ].map((name) => `--${flagOf(name)}`)
  if (missing.length > 0) {
    throw new UsageError(`${missing.join(', ')} must be given. See: runyard call ${operation.id} --help`)
  }
  return { parameters: parameters.map((name) => String(values[flagOf(name)])), input }
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new UsageError('--input must be a JSON object.')
}

type Method = (...args: unknown[]) => unknown

/** The SDK has a method for every operation; a test of it says so. */
function methodOf(runyard: Runyard, { group, method }: OperationRow): Method {
  const of = runyard[group as keyof Runyard] as unknown as Record<string, Method>
  const found = of[method]
  if (!found) throw new Error(`the SDK has no method ${group}.${method}`)
  return found.bind(of)
}

function eventsOf(
  runyard: Runyard,
  operation: OperationRow,
  { parameters, input }: Given,
  signal: AbortSignal,
): AsyncIterable<object> {
  const { events } = input
  const options = { signal, ...(typeof events === 'string' && { events: events.split(',') }) }
  return methodOf(runyard, operation)(...parameters, options) as AsyncIterable<object>
}

interface Around {
  values: Record<string, string | boolean | undefined>
  signal: AbortSignal
}

/** A list is not awaited: it gives a page, or all rows. */
function answerOf(
  runyard: Runyard,
  operation: OperationRow,
  { parameters, input }: Given,
  { values, signal }: Around,
): unknown {
  if (operation.input === 'bytes') {
    const { file, path } = input as { file: string; path?: string }
    return upload(runyard, parameters[0] ?? '', file, path ?? basename(file), signal)
  }
  const key = values['idempotency-key']
  const options = { signal, ...(typeof key === 'string' && { idempotencyKey: key }) }
  const args = operation.input === 'none' ? [] : [input]
  return methodOf(runyard, operation)(...parameters, ...args, options)
}

/** Through a signed URL, which takes larger files than the operation itself; the answer is that of the operation. */
async function upload(
  runyard: Runyard,
  sandboxId: string,
  file: string,
  path: string,
  signal: AbortSignal,
): Promise<{ path: string; size_bytes: number }> {
  const found = await stat(file)
  if (!found.isFile()) throw new CommandFailed(`${file} is not a file. For a folder: runyard sandbox cp --help`)
  const stored = await runyard.sandboxes.upload(sandboxId, path, file, { signal })
  return { path: stored.path, size_bytes: found.size }
}
