// Test files that share a process: loading the service takes most of the time of a small one, so several load it once.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './install.mjs'

/** So many, neighbours by name: all are set up at once, and each goes when its own tests are done. */
const filesEach = 6

/** What a neighbour would feel: the process itself, what is replaced in it, other processes that take its time. */
const needsItsOwn = /\bprocess\.|\bmock\.|\bregisterHooks\(|\b(spawn|fork|execFile)(Sync)?\(/

/**
 * Hands what is to be given to Node's test runner to `run`: the files that stay alone, and one file a group. Node passes by in silence
 * what it does not take for a test, so each group leaves a mark when its files are loaded, and one without it is a failure.
 */
export async function withTestGroups(folder, run) {
  const files = readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith('.test.ts'))
  const alone = files.filter((name) => needsItsOwn.test(readFileSync(join(root, folder, name), 'utf8')))
  const together = files.filter((name) => !alone.includes(name)).sort()
  // outside of the project: below node_modules Node looks for no tests
  const place = mkdtempSync(join(tmpdir(), 'runyard-test-groups-'))
  try {
    const groups = []
    for (let from = 0; from < together.length; from += filesEach) {
      const group = join(place, `group-${groups.length + 1}.test.mjs`)
      writeFileSync(
        group,
        textOf(
          together.slice(from, from + filesEach).map((name) => join(root, folder, name)),
          group,
        ),
      )
      groups.push(group)
    }
    const code = await run([...alone.map((name) => join(folder, name)), ...groups])
    const passedBy = groups.filter((group) => !existsSync(markOf(group)))
    for (const group of passedBy) console.error(`not run:\n${readFileSync(group, 'utf8')}`)
    return passedBy.length > 0 ? code || 1 : code
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

const markOf = (group) => `${group}.ran`

/** A suite a file: its hooks are around its own tests, and what it set up goes when they are done. */
function textOf(files, group) {
  const suites = files.map((file) => {
    const [name, url] = [relative(root, file), pathToFileURL(file).href].map((text) => JSON.stringify(text))
    return `describe(${name}, async () => {\n  await import(${url})\n  loaded += 1\n})\n`
  })
  return [
    "import { writeFileSync } from 'node:fs'\nimport { after, describe } from 'node:test'\nlet loaded = 0\n",
    ...suites,
    `after(() => loaded === ${files.length} && writeFileSync(${JSON.stringify(markOf(group))}, ''))\n`,
  ].join('')
}
