// Finds what a command changed in the folder of a workspace, and stores the bytes of changed files.
import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path/posix'
import type { Scrub } from '../../../base/knownSecrets.ts'
import { cutSecrets } from './cutSecrets.ts'
import { openForReading, pieceBytes, scanFolder, smallBytesMax, type SeenPath } from './scan.ts'
import {
  batchBytesMax,
  batchFilesMax,
  isSame,
  openParent,
  type PathChange,
  type WorkspaceFolder,
} from './workspaceFolder.ts'

/** What is different from the manifest, after `scrub` has cut secrets out of it. The bytes are stored, but nothing refers to them yet. */
export async function findChanges(
  at: WorkspaceFolder,
  signal: AbortSignal,
  scrub?: Scrub,
): Promise<{ changes: PathChange[]; unkept: string[]; withheld: string[] }> {
  const { manifest } = at
  at.isChanged = true
  const scan = await scanFolder(at.folder, at.disk, { most: at.entriesMax, signal, charge: at.charge })
  at.disk = scan.disk
  const changed = (): [string, SeenPath][] =>
    [...scan.disk].filter(([path, { entry }]) => !isSame(manifest.get(path), entry))
  const withheld = scrub ? await cutSecrets({ at, scrub, contents: scan.contents, signal }, changed()) : []
  const gone = [...manifest.keys()].filter((path) => !scan.disk.has(path))
  const fresh = changed().toSorted(([one], [other]) => (one < other ? -1 : 1))
  const changes = [
    ...gone.map((path): PathChange => ({ path, entry: null, wasThere: true })),
    ...fresh.map(([path, { entry }]): PathChange => ({ path, entry, wasThere: manifest.has(path) })),
  ]
  await storeContents(at, changes, scan.contents, signal)
  return { changes, unkept: scan.unkept, withheld }
}

/** Stores the bytes before anything refers to them: many small files in one statement, a large one in pieces. */
async function storeContents(
  at: WorkspaceFolder,
  changes: PathChange[],
  contents: Map<string, Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const { blobs } = at
  const files = changes.flatMap(({ path, entry }) => (entry?.kind === 'file' ? [{ path, entry }] : []))
  const known = await blobs.keep(files.map(({ entry }) => entry.sha256))
  let batch: Buffer[] = []
  let bytes = 0
  const flush = async () => {
    await at.charge(0, bytes)
    await blobs.bring(batch)
    await blobs.put(batch)
    batch = []
    bytes = 0
  }
  for (const { path, entry } of files.filter((file) => !known.has(file.entry.sha256))) {
    signal.throwIfAborted()
    if (entry.size_bytes > smallBytesMax) await blobs.putReadable(() => piecesOf(at, path, signal))
    else {
      batch.push(contents.get(entry.sha256) ?? (await readSmall(at, path)))
      bytes += entry.size_bytes
      if (bytes >= batchBytesMax || batch.length >= batchFilesMax) await flush()
    }
  }
  if (batch.length > 0) await flush()
}

async function* piecesOf(at: WorkspaceFolder, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const file = await openFile(at, path)
  for await (const piece of file.createReadStream({ highWaterMark: pieceBytes, signal }) as AsyncIterable<Buffer>) {
    await at.charge(0, piece.length)
    yield piece
  }
}

async function readSmall(at: WorkspaceFolder, path: string): Promise<Buffer> {
  const file = await openFile(at, path)
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

async function openFile(at: WorkspaceFolder, path: string): Promise<FileHandle> {
  const parent = await openParent(at, path)
  try {
    return await openForReading(parent.at(basename(path)))
  } finally {
    await parent.close()
  }
}
