// One word for one thing: the words that the glossary forbids do not occur in what users read, and comments have a subject.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { proves } from './kit/proves.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The words in backticks in the last column of "Words to avoid". */
async function forbiddenWords(): Promise<string[]> {
  const [, table = ''] = (await readFile(join(root, 'docs/glossary.md'), 'utf8')).split('## Words to avoid')
  const rows = table.split('\n').filter((line) => /^\| (?!Say)/.test(line))
  return rows.flatMap((row) => [...(row.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? ''))
}

async function pages(): Promise<string[]> {
  const guides = (await readdir(join(root, 'docs/guides'))).map((file) => `docs/guides/${file}`)
  const examples = (await readdir(join(root, 'examples'), { recursive: true }))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `examples/${file}`)
  return ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/tutorial.md', 'docs/gaps.md', ...guides, ...examples]
}

proves('glossary.words', 'no page for users has a word that the glossary forbids', async () => {
  const words = await forbiddenWords()
  assert.ok(words.length > 20)
  const forbidden = new RegExp(`(?<![\\w-])(${words.join('|')})(?![\\w-])`, 'gi')
  const found: string[] = []
  for (const page of await pages()) {
    const text = (await readFile(join(root, page), 'utf8')).replaceAll('’', "'").replaceAll(/\s+/g, ' ')
    for (const { 0: word, index } of text.matchAll(forbidden))
      found.push(`${page}: ${word} in “${text.slice(Math.max(0, index - 30), index + 40)}”`)
  }
  assert.deepEqual(found, [])
})

proves('glossary.comments', 'a doc comment has a subject: it does not open with Of, So, As, By or Those', async () => {
  const source = join(root, 'server/src')
  const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.ts'))
  const found: string[] = []
  for (const file of files) {
    const text = await readFile(join(source, file), 'utf8')
    for (const [comment] of text.matchAll(/\/\*\*\s+(?:\* )?(?:Of|So|As|By|Those)\b.{0,40}/g))
      found.push(`${file}: ${comment}`)
  }
  assert.deepEqual(found, [])
})
