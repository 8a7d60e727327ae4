// The recipes of the README: each block of code is a program that runs against a real service, as it stands there.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { proves } from '../../server/test/kit/proves.ts'
import { preparedDataDir, startService, type Service } from '../../server/test/survival/processes.ts'

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
const source = new URL('../src/index.ts', import.meta.url).href

/** The code of the README by the heading above it; `setup` comes before each. */
const [, setup = ''] = /^```ts setup\n([\s\S]*?)^```$/m.exec(readme) ?? []
const recipes = [...readme.matchAll(/^### (\d+)\. ([^\n]+)\n(?:(?!^###)[\s\S])*?^```ts\n([\s\S]*?)^```$/gm)]

/** What a recipe prints, where it is the same each time. */
const printed: Record<string, RegExp> = {
  '1': /^completed Hello, world!$/,
  '2': /^completed$/,
  '4': /^\S+\n[\s\S]*\d+$/,
  '5': /^\d+-\d+-\d+-[0-9a-f-]{36}$/,
  '6': /^250$/,
  '7': /^false true$/,
  '8': /^It is gone\.$/,
  '9': /8 of 8\na,b\n1,2/,
  '10': /teams/,
}

describe('the README of the SDK', () => {
  let service: Service
  let folder: string
  let remove: () => Promise<void>
  before(async () => {
    const dataDir = await preparedDataDir()
    remove = dataDir.remove
    folder = await mkdtemp(join(tmpdir(), 'runyard-recipes-'))
    service = await startService({ dataDir: dataDir.path })
    Object.assign(process.env, { RUNYARD_URL: service.baseUrl, RUNYARD_API_KEY: service.key })
  })
  after(async () => {
    await service.stop()
    await remove()
    await rm(folder, { recursive: true, force: true })
  })

  proves('sdk.recipes', 'the README has ten recipes', () => {
    assert.deepEqual(
      recipes.map(([, number]) => number),
      Array.from({ length: 10 }, (_, index) => String(index + 1)),
    )
  })

  for (const [, number = '', title = '', code = ''] of recipes) {
    proves('sdk.recipes', `recipe ${number} runs: ${title}`, async (t) => {
      const file = join(folder, `recipe${number}.ts`)
      await writeFile(file, `${setup}\n${code}`.replaceAll("'@runyard/sdk'", JSON.stringify(source)))
      const lines: string[] = []
      t.mock.method(console, 'log', (...words: unknown[]) => lines.push(format(...words)))
      // here and not in a process for each: ten of them load the same SDK ten times
      await import(pathToFileURL(file).href)
      assert.match(lines.join('\n').trim(), printed[number] ?? /^/)
    })
  }
})
