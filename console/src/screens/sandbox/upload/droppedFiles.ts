// The files of a drop or of a file dialog, those in folders too, each with its path.

export interface DroppedFile {
  path: string
  file: File
}

/** More at once would take longer to list than to pack into an archive. */
export const filesAtOnceMax = 2000

export class TooManyFiles extends Error {
  constructor() {
    super(`These are more than ${filesAtOnceMax} files. Pack them into an archive and unpack it with a command.`)
  }
}

export function chosenFiles(list: FileList): DroppedFile[] {
  const files = Array.from(list, (file) => ({
    path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
    file,
  }))
  if (files.length > filesAtOnceMax) throw new TooManyFiles()
  return files
}

/** What was dropped must be asked for before anything is awaited: afterwards the browser has forgotten it. */
export function droppedFiles(data: DataTransfer): Promise<DroppedFile[]> {
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  if (entries.length === 0) return Promise.resolve(chosenFiles(data.files))
  return walk(entries)
}

async function walk(entries: FileSystemEntry[]): Promise<DroppedFile[]> {
  const found: DroppedFile[] = []
  const left = [...entries]
  for (let entry = left.shift(); entry; entry = left.shift()) {
    if (isFolder(entry)) left.push(...(await entriesOf(entry)))
    else found.push({ path: entry.fullPath.replace(/^\//, ''), file: await fileOf(entry as FileSystemFileEntry) })
    if (found.length + left.length > filesAtOnceMax) throw new TooManyFiles()
  }
  return found
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

/** A reader gives a hundred at a time, and none when it is over. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const found: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0 || found.length > filesAtOnceMax) return found
    found.push(...some)
  }
}
