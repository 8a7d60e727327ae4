// The file system of a just-bash command: the workspace on disk, everything else in memory and gone with the command.
import { readdirSync } from 'node:fs'
import { chmod, rmdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import {
  getCommandNames,
  getJavaScriptCommandNames,
  getNetworkCommandNames,
  getPythonCommandNames,
  InMemoryFs,
  MountableFs,
  ReadWriteFs,
} from 'just-bash'
import type { ShellFolders } from './sandbox.ts'

const mebibyte = 1024 * 1024
/** A file is read as a whole, and its text takes up to twice its size: more would not fit into the memory of a command. */
const readBytesMax = 64 * mebibyte

const memoryFilesBytesMax = 128 * mebibyte

type Write = ReadWriteFs['writeFile']
type Append = ReadWriteFs['appendFile']

/** Links are refused (the default of ReadWriteFs), so no path leads out of the folder. */
class WorkspaceFs extends ReadWriteFs {
  readonly folder: string
  readonly fileBytesMax: number

  constructor(folder: string, fileBytesMax: number) {
    super({ root: folder, maxFileReadSize: readBytesMax, maxCopyOnWriteSize: readBytesMax, maxCopySize: fileBytesMax })
    this.folder = folder
    this.fileBytesMax = fileBytesMax
  }

  override async writeFile(...[path, content, options]: Parameters<Write>): Promise<void> {
    this.#requireRoom(path, content.length)
    await super.writeFile(path, content, options)
  }

  override async appendFile(...[path, content, options]: Parameters<Append>): Promise<void> {
    const size = (await this.exists(path)) ? (await this.stat(path)).size : 0
    this.#requireRoom(path, size + content.length)
    await super.appendFile(path, content, options)
  }

  // ReadWriteFs removes by rm, which refuses a folder that is not to be emptied: rmdir(1) would never work.
  override async rm(...[path, options]: Parameters<ReadWriteFs['rm']>): Promise<void> {
    if (options?.recursive === true || !(await this.#isFolder(path))) return super.rm(path, options)
    await rmdir(await this.#realPath(path))
  }

  // Both would open the file and change it through the descriptor, which Node's permissions never allow.
  override async chmod(path: string, mode: number): Promise<void> {
    await chmod(await this.#realPath(path), mode)
  }

  override async utimes(path: string, accessedAt: Date, modifiedAt: Date): Promise<void> {
    await utimes(await this.#realPath(path), accessedAt, modifiedAt)
  }

  // The same reason: ReadWriteFs sets the rights and times of a copy while it is open.
  override async cp(...[from, to, options]: Parameters<ReadWriteFs['cp']>): Promise<void> {
    const source = await this.lstat(from)
    if (source.isSymbolicLink) throw notPermitted(from)
    if (!source.isDirectory) {
      await this.writeFile(to, await this.readFileBuffer(from))
      return this.chmod(to, source.mode)
    }
    if (options?.recursive !== true) throw new Error(`EISDIR: is a directory, cp '${from}'`)
    if (`${to}/`.startsWith(`${from}/`)) throw new Error(`EINVAL: cannot copy a folder into itself, cp '${from}'`)
    await this.mkdir(to, { recursive: true })
    for (const name of await this.readdir(from)) await this.cp(`${from}/${name}`, `${to}/${name}`, options)
  }

  /** lstat refuses every link on the way; what could change the folder between here and the use is this command alone. */
  async #realPath(path: string): Promise<string> {
    if ((await this.lstat(path)).isSymbolicLink) throw notPermitted(path)
    return join(this.folder, this.resolvePath('/', path))
  }

  async #isFolder(path: string): Promise<boolean> {
    return (await this.exists(path)) && (await this.lstat(path)).isDirectory
  }

  #requireRoom(path: string, bytes: number): void {
    if (bytes > this.fileBytesMax) throw new Error(`EFBIG: file too large, write '${path}'`)
  }
}

function notPermitted(path: string): Error {
  return new Error(`EPERM: operation not permitted, '${path}'`)
}

/** Node's permissions do not let the child write there either. */
class LaidFs extends WorkspaceFs {
  override writeFile = readOnly
  override appendFile = readOnly
  override mkdir = readOnly
  override rm = readOnly
  override mv = readOnly
  override cp = readOnly
  override chmod = readOnly
  override utimes = readOnly
  override symlink = readOnly
  override link = readOnly
}

function readOnly(path: string): Promise<never> {
  return Promise.reject(new Error(`EROFS: read-only file system, '${path}'`))
}

interface WorkspaceFilesOptions extends ShellFolders {
  fileBytesMax: number
  hasNetwork: boolean
}

export function workspaceFiles({ folder, laid, fileBytesMax, hasNetwork }: WorkspaceFilesOptions): MountableFs {
  const memory = new InMemoryFs(undefined, { maxTotalBytes: memoryFilesBytesMax })
  for (const path of ['/tmp', '/home', '/usr/bin', '/bin']) memory.mkdirSync(path, { recursive: true })
  memory.writeFileSync('/dev/null', '')
  // A shell with a /bin finds a command only if it lies there, as which(1) does; the content is never looked at.
  const names = [...getCommandNames(), ...getPythonCommandNames(), ...getJavaScriptCommandNames()]
  for (const name of hasNetwork ? [...names, ...getNetworkCommandNames()] : names) {
    memory.writeFileSync(`/bin/${name}`, '#!/bin/bash\n', 'utf8', { mode: 0o755 })
  }
  const files = new MountableFs({ base: memory })
  files.mount('/workspace', new WorkspaceFs(folder, fileBytesMax))
  for (const name of laid === undefined ? [] : readdirSync(laid))
    files.mount(`/${name}`, new LaidFs(`${laid}/${name}`, 0))
  return files
}
