// Every sentence of the specification is proved by some test, and every citation names a sentence.
import assert from 'node:assert/strict'
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { requirements } from './requirements.ts'

const repository = fileURLToPath(new URL('../../', import.meta.url))

async function testFiles(): Promise<string[]> {
  const files = ['server/src', 'server/test', 'sdk/test', 'cli/src', 'cli/test', 'console/src', 'console/test'].map(
    async (folder) =>
      (await readdir(join(repository, folder), { recursive: true }))
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => join(repository, folder, file)),
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

/** Words of docs/glossary.md to avoid, where a name would use them. */
const avoided = /\b(?:told|anew|meanwhile|go on|goes on|went on|so many|mend|mends|mended|(?:is|are) none)\b/

test('the name of a test is a plain sentence that promises one thing', async () => {
  const wrong: string[] = []
  let count = 0
  for (const file of await testFiles()) {
    const text = await readFile(file, 'utf8')
    for (const [, name = ''] of text.matchAll(
      /\b(?:test|proves)\((?:\s*(?:\[[^\]]*\]|'[\w.]+'),)?\s*['`]([^'`\n]*)['`],/g,
    )) {
      count += 1
      if (name.includes(';')) wrong.push(`${file}: split or reword what the semicolon joins: ${name}`)
      if (avoided.test(name)) wrong.push(`${file}: say it in the words of the glossary: ${name}`)
    }
  }
  assert.ok(count > 1000, `${count} names`)
  assert.deepEqual(wrong, [])
})

test('a gap names a file that is there', async () => {
  const named = requirements.flatMap(({ gap }) => (gap ? [gap.file] : []))
  assert.ok(named.length > 50)
  for (const file of named) await access(join(repository, file))
})
