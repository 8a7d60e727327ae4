// Removes what commands left, also folders that they closed to everyone, or nested until no path is long enough for the innermost.
import { readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { newId } from './ids.ts'
import { isCode } from './openWithin.ts'
import { lstatReadable } from './readable.ts'
import { sideBySide } from './sideBySide.ts'

type Path = string | Buffer

/** The system takes 4,096 with all that is above. What is deeper is moved up before it is removed; short paths are also found sooner. */
const depthBytesMax = 1024

/** Removes a file, a link or a folder with all that is in it, and follows no link. What is gone already is not an error. */
export async function removeTree(path: Path): Promise<void> {
  const stat = await unlessGone(lstatReadable(path))
  if (!stat) return
  if (!stat.isDirectory()) return unlessGone(unlink(path))
  await emptyFolder(path)
  await unlessGone(rmdir(path))
}

/** Returns how many files and folders it removed. */
export async function emptyFolder(top: Path): Promise<number> {
  const emptying: Emptying = { top: Buffer.from(top), deep: [], removed: 0 }
  await lstatReadable(top)
  await empty(emptying, emptying.top)
  // it grows by what is deeper still
  for (const folder of emptying.deep) await removeFolder(emptying, folder)
  return emptying.removed
}

interface Emptying {
  top: Buffer
  /** Folders that were too deep, and are in the top one now. */
  deep: Buffer[]
  removed: number
}

async function empty(emptying: Emptying, folder: Buffer): Promise<void> {
  const found = (await unlessGone(readdir(folder, { withFileTypes: true, encoding: 'buffer' }))) ?? []
  emptying.removed += found.length
  const pathOf = (name: Uint8Array): Buffer => Buffer.concat([folder, Buffer.from('/'), name])
  const [folders = [], others = []] = [true, false].map((is) => found.filter((one) => one.isDirectory() === is))
  // a plain unlink is several times as fast as rm, which first looks at what it removes
  await sideBySide(others, ({ name }) => unlessGone(unlink(pathOf(name))))
  for (const { name } of folders) await removeFolder(emptying, pathOf(name))
}

async function removeFolder(emptying: Emptying, folder: Buffer): Promise<void> {
  if (!(await unlessGone(lstatReadable(folder)))) return
  const { top, deep } = emptying
  if (folder.length - top.length > depthBytesMax) {
    const moved = Buffer.concat([top, Buffer.from(`/${newId()}`)])
    await rename(folder, moved)
    deep.push(moved)
    return
  }
  await empty(emptying, folder)
  await unlessGone(rmdir(folder))
}

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}
