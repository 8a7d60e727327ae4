// Test files that share a process: loading the service takes most of the time of a small one, so several load it once.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './install.mjs'

/** So many, neighbours by name: their services live side by side until the last test of them is done. */
const filesEach = 6

/** What a neighbour would feel: hooks around all tests of a process, the process itself, what is replaced in it, other processes. */
const needsItsOwn = /^(before|beforeEach|afterEach)\(|\bprocess\.|\bmock\.|\b(spawn|fork|execFile)(Sync)?\(/m

/** Answers with what to give to Node's test runner: the files that stay alone, and one file a group, written anew. */
export function groupTests(folder) {
  const files = readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith('.test.ts'))
  const alone = files.filter((name) => needsItsOwn.test(readFileSync(join(root, folder, name), 'utf8')))
  const together = files.filter((name) => !alone.includes(name)).sort()
  const cache = join(root, 'node_modules', '.cache', 'runyard-tests')
  rmSync(cache, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  const groups = []
  for (let from = 0; from < together.length; from += filesEach) {
    const group = join(cache, `${String(groups.length + 1).padStart(2, '0')}.test.mjs`)
    // one after the other, which imports side by side would not be: a file's service is set up before the next one's
    const lines = together.slice(from, from + filesEach).map((name) => {
      return `await import(${JSON.stringify(pathToFileURL(join(root, folder, name)).href)})\n`
    })
    writeFileSync(group, lines.join(''))
    groups.push(relative(root, group))
  }
  return [...alone.map((name) => join(folder, name)), ...groups]
}
