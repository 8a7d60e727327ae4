// What a folder holds, path by path, with marks that show a change: so that only what is different is carried.
import { readdir, readlink } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { lstatReadable } from '../../../base/readable.ts'
import { removeTree } from '../../../base/removeTree.ts'
import { sideBySide } from '../../../base/sideBySide.ts'
import { entriesCarriedMax, unkeptNamedMax } from './protocol.ts'

interface SeenEntry {
  kind: 'file' | 'dir' | 'link'
  /** The target of a link; the size, rights, times and inode of a file. */
  mark: string
}

/** The key is the path below the folder, with slashes. */
export type FolderState = Map<string, SeenEntry>

export interface SeenFolder {
  state: FolderState
  /** False: there is more than can be carried. */
  isWhole: boolean
  /** The first names of what cannot be carried: neither file, folder nor link, or named by bytes that are not UTF-8. It was removed. */
  unkept: string[]
}

const fileMark = ({ size, mode, mtimeNs, ctimeNs, ino }: BigIntStats): string =>
  `${size} ${mode & 0o777n} ${mtimeNs} ${ctimeNs} ${ino}`

/** Opens up what a command closed. Nothing may run in the folder: a folder that becomes a link while it is looked at would be followed. */
export async function seeFolder(root: string): Promise<SeenFolder> {
  const seen: SeenFolder = { state: new Map(), isWhole: true, unkept: [] }
  const folders = ['']
  await lstatReadable(root)
  for (const folder of folders) {
    const names = await readdir(join(root, folder), { withFileTypes: true, encoding: 'buffer' })
    if (seen.state.size + names.length > entriesCarriedMax) return { ...seen, isWhole: false }
    await sideBySide(names, async (found) => {
      const path = `${folder}${found.name.toString()}`
      const isNamed = Buffer.from(found.name.toString()).equals(found.name)
      const isCarried = isNamed && (found.isFile() || found.isDirectory() || found.isSymbolicLink())
      if (!isCarried) return remove(seen, root, folder, found.name)
      if (found.isDirectory()) folders.push(`${path}/`)
      seen.state.set(path, await seeEntry(join(root, path)))
    })
  }
  return seen
}

export async function seeEntry(at: string): Promise<SeenEntry> {
  const stat = await lstatReadable(at)
  if (stat.isDirectory()) return { kind: 'dir', mark: '' }
  if (stat.isSymbolicLink()) return { kind: 'link', mark: await readlink(at) }
  return { kind: 'file', mark: fileMark(stat) }
}

async function remove(seen: SeenFolder, root: string, folder: string, name: Buffer): Promise<void> {
  if (seen.unkept.length < unkeptNamedMax) seen.unkept.push(`${folder}${name.toString()}`.slice(0, 200))
  // its name is bytes, which may be no text at all
  const at = Buffer.concat([Buffer.from(join(root, folder)), Buffer.from('/'), name])
  await removeTree(at)
}

export interface FolderChanges {
  /** What is in a folder stands before the folder. */
  gone: string[]
  /** Folders stand before what is in them. */
  present: string[]
}

export function changesBetween(before: FolderState, after: FolderState): FolderChanges {
  const gone = [...before.keys()].filter((path) => !after.has(path))
  const isSame = (path: string, { kind, mark }: SeenEntry): boolean => {
    const known = before.get(path)
    return known?.kind === kind && known.mark === mark
  }
  const present = [...after].filter(([path, entry]) => !isSame(path, entry)).map(([path]) => path)
  return { gone: gone.toSorted().toReversed(), present: present.toSorted() }
}
