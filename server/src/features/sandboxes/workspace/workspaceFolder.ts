// A workspace in a folder of this machine: what the folder holds now, and which version of the manifest that is.
import { lchown } from 'node:fs/promises'
import { dirname } from 'node:path/posix'
import type { Sql } from '../../../base/db.ts'
import type { Blobs } from '../../../drivers/blobs/blobs.ts'
import { reachFolder, type Folder } from '../../../base/openWithin.ts'
import { emptyFolder } from '../../../base/removeTree.ts'
import { entriesMax, type Disk } from './scan.ts'
import type { WorkspaceEntry, Manifest, WorkspaceRef } from './workspace.ts'

/** How much goes to or comes from the database in one statement. A larger file is sent by itself, in pieces. */
export const batchBytesMax = 8 * 1024 * 1024
export const batchFilesMax = 500

export interface PathChange {
  path: string
  /** What is there now; null: nothing. */
  entry: WorkspaceEntry | null
  /** Something was there before. */
  wasThere: boolean
}

/** The user to whom files must belong so that commands can change them. */
interface Owner {
  uid: number
  gid: number
}

export interface WorkspaceFolder {
  sql: Sql
  blobs: Blobs
  /** Charges the team for files that are read or written on the disk. It waits for its turn if it used more than its share. */
  charge: (files: number, bytes: number) => Promise<void> | undefined
  workspace: WorkspaceRef
  folder: string
  owner: Owner | undefined
  /** How many entries a command may leave. */
  entriesMax: number
  version: string | undefined
  manifest: Manifest
  disk: Disk
  /** A command has run since the folder was made to match the manifest. */
  isChanged: boolean
  proposal: { changes: PathChange[]; version: string } | undefined
}

type FolderOptions = Pick<WorkspaceFolder, 'sql' | 'blobs' | 'charge' | 'workspace' | 'folder' | 'owner'> & {
  most?: number
}

export const openWorkspaceFolder = ({ most = entriesMax, ...given }: FolderOptions): WorkspaceFolder => ({
  ...given,
  entriesMax: most,
  version: undefined,
  manifest: new Map(),
  disk: new Map(),
  isChanged: false,
  proposal: undefined,
})

/** Notes that the folder matches the manifest if the manifest gets this version; the next `bringTo` checks whether it did. */
export function propose(at: WorkspaceFolder, changes: PathChange[], version: string): void {
  at.proposal = { changes, version }
}

/** Removes everything: what a command left that was cut off belongs to nobody. */
export async function clearFolder(at: WorkspaceFolder): Promise<void> {
  await at.charge(await emptyFolder(at.folder), 0)
  at.disk = new Map()
  at.version = undefined
}

export const bytesOf = (entries: WorkspaceEntry[]): number =>
  entries.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.size_bytes : 0), 0)

export async function giveToOwner({ owner }: WorkspaceFolder, path: string): Promise<void> {
  if (owner) await lchown(path, owner.uid, owner.gid)
}

/** Opens the folder that a path of the workspace is in, and makes it if it is missing. */
export const openParent = (at: WorkspaceFolder, path: string): Promise<Folder> => openFolder(at, dirname(path))

export const openFolder = (at: WorkspaceFolder, path: string): Promise<Folder> =>
  reachFolder(at.folder, path.split('/').slice(2), (made) => giveToOwner(at, made))

export const isSame = (one: WorkspaceEntry | undefined, other: WorkspaceEntry): boolean => {
  if (one?.kind !== other.kind) return false
  if (one.kind === 'file' && other.kind === 'file') {
    return one.sha256 === other.sha256 && one.is_executable === other.is_executable
  }
  return one.kind === 'dir' || (other.kind === 'link' && one.kind === 'link' && one.link_target === other.link_target)
}
