// Files that exist whole or not at all: written under another name, flushed to disk, then renamed.
import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const aside = `${path}.${process.pid}.new`
  const file = await open(aside, 'w', mode)
  try {
    await file.chmod(mode)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(aside, path)
  // the name itself is durable only once its folder is
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
