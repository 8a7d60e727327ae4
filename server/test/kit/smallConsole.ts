// A built console of three files, as scripts/buildConsole.mjs lays it out: for tests of how it is served, which need no build.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'

export const smallScript = `console.log('small')\n`.repeat(9000)
export const smallIndex = '<!doctype html><script type="module" src="/assets/small-abc.js"></script>'

/** Its folder, for `config.consoleDir`. */
export async function smallConsole(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-small-console-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const build = join(folder, 'one')
  await mkdir(join(build, 'assets'), { recursive: true })
  const br = brotliCompressSync(smallScript)
  const gz = gzipSync(smallScript)
  const encodings = { '.br': br.length, '.gz': gz.length }
  const listed = [
    { path: 'index.html', type: 'text/html; charset=utf-8', encodings: {} },
    { path: 'icon.svg', type: 'image/svg+xml', encodings: {} },
    { path: 'assets/small-abc.js', type: 'text/javascript; charset=utf-8', encodings },
  ]
  await Promise.all([
    writeFile(join(folder, 'build.json'), JSON.stringify({ folder: 'one' })),
    writeFile(join(build, 'files.json'), JSON.stringify(listed)),
    writeFile(join(build, 'index.html'), smallIndex),
    writeFile(join(build, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>'),
    writeFile(join(build, 'assets/small-abc.js'), smallScript),
    writeFile(join(build, 'assets/small-abc.js.br'), br),
    writeFile(join(build, 'assets/small-abc.js.gz'), gz),
  ])
  return folder
}
