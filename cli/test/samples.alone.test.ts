// The samples of the reference: a shell splits each of them, and `runyard call` understands every word.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { features } from '../../server/src/features.ts'
import { clientSamples } from '../../server/src/kit/clientSamples.ts'
import type { Operation } from '../../server/src/kit/operation.ts'
import { readFields, readQuery } from '../../server/src/kit/validate.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { fieldValue } from '../src/call/fieldValue.ts'
import { operationCommand } from '../src/call/operationCommand.ts'
import { operations as rows } from '../src/generated/operations.ts'

const operations = features.flatMap((feature) => feature.operations)

const lineOf = (operation: Operation): string => {
  const sample = clientSamples(operation).find(({ label }) => label === 'CLI')
  assert.ok(sample, `${operation.id} has no sample`)
  return sample.source
}

/** The words of each line, as a real shell hands them to the command. */
async function wordsOf(lines: string[]): Promise<string[][]> {
  const script = [`runyard() { printf '%s\\0' "$@"; printf '\\1\\0'; }`, ...lines].join('\n')
  const { stdout } = await promisify(execFile)('sh', ['-c', script])
  return stdout
    .split('\u0001\0')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1))
}

const searchOf = (input: Record<string, unknown>): string =>
  new URLSearchParams(Object.entries(input).map(([name, value]): [string, string] => [name, String(value)])).toString()

proves(
  'docs.samples',
  'the command line takes the sample of every operation, with values that fit its schema',
  async () => {
    const all = await wordsOf(operations.map(lineOf))
    assert.equal(all.length, operations.length)
    for (const [index, operation] of operations.entries()) {
      const [call, id = '', ...args] = all[index] ?? []
      assert.deepEqual([call, id], ['call', operation.id])
      const { options } = operationCommand(id)
      const types = Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]))
      const { values } = parseArgs({ args, options: types, strict: true })
      const row = rows.find((one) => one.id === id)
      assert.ok(row)
      const given = new Map(Object.entries(values).map(([flag, value]) => [flag.replaceAll('-', ''), value]))
      const typedFor = (name: string) => given.get(name.replaceAll('_', '').toLowerCase())
      for (const name of row.parameters) assert.ok(typedFor(name), `${id} lacks ${name}`)
      const input: Record<string, unknown> = {}
      for (const field of row.fields) {
        const typed = typedFor(field.name)
        if (typed !== undefined) input[field.name] = await fieldValue(field, typed)
      }
      const problems: string[] = []
      if (row.input === 'body') readFields(operation.body, input, problems)
      else if (row.input === 'query') readQuery(operation.query, searchOf(input), problems)
      else assert.deepEqual(Object.keys(input), row.input === 'bytes' ? ['file', 'path'] : [])
      assert.deepEqual(problems, [], `${id}: ${JSON.stringify(input)}`)
    }
  },
)
