// Every sentence of the specification is proved by some test, and every citation names a sentence.
import assert from 'node:assert/strict'
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { requirements } from './requirements.ts'

const server = fileURLToPath(new URL('../', import.meta.url))

async function testFiles(): Promise<string[]> {
  const files = ['src', 'test'].map(async (folder) =>
    (await readdir(join(server, folder), { recursive: true }))
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => join(server, folder, file)),
  )
  return (await Promise.all(files)).flat()
}

async function citations(): Promise<Set<string>> {
  const cited = new Set<string>()
  for (const file of await testFiles()) {
    const text = await readFile(file, 'utf8')
    for (const [call] of text.matchAll(/\bproves(?:Together)?\(\s*(?:\[[^\]]*\]|'[^']*')/g))
      for (const [, id] of call.matchAll(/'([^']*)'/g)) if (id) cited.add(id)
  }
  return cited
}

test('every requirement is cited by a test, and every citation is a requirement', async () => {
  const cited = await citations()
  const known = requirements.map(({ id }): string => id)
  assert.equal(new Set(known).size, known.length)
  assert.deepEqual(
    known.filter((id) => !cited.has(id)),
    [],
    'cited by no test',
  )
  assert.deepEqual(
    [...cited].filter((id) => !known.includes(id)),
    [],
    'not a requirement',
  )
})

test('no test names its requirement in a comment, which nothing would check', async () => {
  for (const file of await testFiles()) assert.doesNotMatch(await readFile(file, 'utf8'), /^\s*\/\/ proves /m, file)
})

/** How many names of tests promise several things, joined by a semicolon. Lower it with every one that is split; never raise it. */
const manyPromisesMax = 48

test('a test promises one thing', async () => {
  const found: string[] = []
  for (const file of await testFiles()) {
    const text = await readFile(file, 'utf8')
    for (const [, name = ''] of text.matchAll(
      /\b(?:test|proves)\((?:\s*(?:\[[^\]]*\]|'[\w.]+'),)?\s*['`]([^'`\n]*)['`],/g,
    ))
      if (name.includes(';')) found.push(`${file}: ${name}`)
  }
  assert.ok(found.length <= manyPromisesMax, `${found.length} names:\n${found.join('\n')}`)
})

test('a gap names a file that is there', async () => {
  const named = requirements.flatMap(({ gap }) => (gap ? [gap.file] : []))
  assert.ok(named.length > 50)
  for (const file of named) await access(join(server, '..', file))
})
