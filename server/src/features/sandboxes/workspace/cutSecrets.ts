// Cuts secrets out of the files that a command changed, before anything of them is stored: a workspace never keeps the value of a secret.
import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path/posix'
import { scrubbedBytes, type Scrub } from '../../../base/knownSecrets.ts'
import { removeTree } from '../../../base/removeTree.ts'
import { markOf, openForReading, pieceBytes, smallBytesMax, type SeenPath } from './scan.ts'
import type { WorkspaceEntry } from './workspace.ts'
import { openParent, type WorkspaceFolder } from './workspaceFolder.ts'

type FileEntry = Extract<WorkspaceEntry, { kind: 'file' }>

/** Longer than any secret in any spelling: what is cut in two by the end of a piece is found with the next one. */
const overlapBytes = 64 * 1024

interface Cutting {
  at: WorkspaceFolder
  scrub: Scrub
  /** The bytes of small files by hash, as the scan read them. */
  contents: Map<string, Buffer>
  signal: AbortSignal
}

/** Changes the files and `at.disk`. Returns the paths of what had to be removed: large files, and whatever has a secret in its name. */
export async function cutSecrets(cutting: Cutting, changed: [string, SeenPath][]): Promise<string[]> {
  const { at, scrub, signal } = cutting
  const removed: string[] = []
  for (const [path, { entry }] of changed) {
    signal.throwIfAborted()
    const isInName = scrub(path) !== path || (entry.kind === 'link' && scrub(entry.link_target) !== entry.link_target)
    const seen = isInName ? undefined : entry.kind === 'file' ? await cutFile(cutting, path, entry) : at.disk.get(path)
    if (seen) at.disk.set(path, seen)
    else {
      await withParent(at, path, removeTree)
      at.disk.delete(path)
      removed.push(path)
    }
  }
  return removed
}

/** The file as it is now; undefined: it is too large to be changed. */
async function cutFile(cutting: Cutting, path: string, entry: FileEntry): Promise<SeenPath | undefined> {
  const { at, scrub, contents } = cutting
  if (entry.size_bytes > smallBytesMax) return (await holdsSecret(cutting, path)) ? undefined : at.disk.get(path)
  const bytes = contents.get(entry.sha256) ?? (await withParent(at, path, readWhole))
  const clean = scrubbedBytes(bytes, scrub)
  if (clean.equals(bytes)) return at.disk.get(path)
  const mark = await withParent(at, path, (target) => overwrite(target, clean))
  const sha256 = hash('sha256', clean, 'hex')
  contents.set(sha256, clean)
  return { entry: { ...entry, sha256, size_bytes: clean.length }, mark }
}

async function holdsSecret({ at, scrub, signal }: Cutting, path: string): Promise<boolean> {
  const file = await withParent(at, path, openForReading)
  let end = ''
  for await (const piece of file.createReadStream({ highWaterMark: pieceBytes, signal }) as AsyncIterable<Buffer>) {
    await at.charge(0, piece.length)
    const text = end + piece.toString('latin1')
    if (scrub(text) !== text) return true
    end = text.slice(-overlapBytes)
  }
  return false
}

async function readWhole(target: string): Promise<Buffer> {
  const file = await openForReading(target)
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

async function overwrite(target: string, bytes: Buffer): Promise<string> {
  const file = await open(target, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW)
  try {
    await file.writeFile(bytes)
    return markOf(await file.stat({ bigint: true }))
  } finally {
    await file.close()
  }
}

async function withParent<T>(at: WorkspaceFolder, path: string, work: (target: string) => Promise<T>): Promise<T> {
  const parent = await openParent(at, path)
  try {
    return await work(parent.at(basename(path)))
  } finally {
    await parent.close()
  }
}
