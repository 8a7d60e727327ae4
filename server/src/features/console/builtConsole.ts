// The built console as the process serves it: every file in memory, in each of its encodings.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfThere } from '../../base/atomicFile.ts'
import { mustHave } from '../../base/mustHave.ts'
import type { Encoding } from '../../kit/servedDocument.ts'

export interface ConsoleFile {
  type: string
  /** Weak, since it stands for every encoding of the same file. */
  etag: string
  bytes: Buffer
  encoded: Partial<Record<Encoding, Buffer>>
}

export interface BuiltConsole {
  index: ConsoleFile
  /** The others, by the paths at which they are served. */
  files: Map<string, ConsoleFile>
}

/** A line of files.json, which scripts/viteConsole.mjs writes. */
interface Listed {
  path: string
  type: string
  /** The lengths of its encodings, by what their file names end with. */
  encodings: Partial<Record<'.br' | '.gz', number>>
}

/**
 * Undefined: there is no build. A build has some MB. It is read as a whole, so a process never lacks a file of the console that it began
 * with, whatever is built while it runs.
 */
export async function readConsole(folder: string): Promise<BuiltConsole | undefined> {
  const named = await readIfThere(join(folder, 'build.json'))
  if (named === undefined) return undefined
  const build = join(folder, (JSON.parse(named) as { folder: string }).folder)
  const listed = JSON.parse(await readFile(join(build, 'files.json'), 'utf8')) as Listed[]
  const files = new Map(
    await Promise.all(listed.map(async (one) => [`/${one.path}`, await readOne(build, one)] as const)),
  )
  const index = mustHave(files.get('/index.html'), 'index.html in the built console')
  files.delete('/index.html')
  return { index, files }
}

async function readOne(build: string, { path, type, encodings }: Listed): Promise<ConsoleFile> {
  const file = join(build, path)
  const [bytes, br, gzip] = await Promise.all([
    readFile(file),
    encodings['.br'] === undefined ? undefined : readFile(`${file}.br`),
    encodings['.gz'] === undefined ? undefined : readFile(`${file}.gz`),
  ])
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
  return { type, etag, bytes, encoded: { ...(br && { br }), ...(gzip && { gzip }) } }
}
