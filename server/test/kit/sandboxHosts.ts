// Sandbox hosts in processes of their own, as an operator starts them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { access, mkdtemp, readdir, realpath, rm, watch } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isGone, sampleProc } from '../../src/drivers/sandbox/processTree.ts'
import { programFile } from './programFile.ts'

export const sandboxToken = 'a-token-that-only-the-tests-know-0123456789'

const entry = programFile(fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url)))

/** The processes of commands below this one. What starts them stays. */
export const commandsBelow = (root: number): number[] =>
  sampleProc(root, 1000)
    .pids.slice(1)
    .filter((pid) => !isGone(pid) && !isLauncher(pid))

function isLauncher(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('launchCommands')
  } catch {
    // it has just ended
    return false
  }
}

export interface SandboxHost {
  url: string
  pid: number
  /** Everything that it printed and logged. */
  said: () => string
  /** The folders of the workspaces that it has now. */
  workspaces(): Promise<string[]>
  signal(name: NodeJS.Signals): void
  /** Its exit code; null: a signal ended it. */
  ended: Promise<number | null>
  /** Ends it, whatever it does, and removes its files. */
  stop(): Promise<void>
}

export async function startSandboxHost(env: Record<string, string> = {}): Promise<SandboxHost> {
  const dataDir = await mkdtemp(join(await realpath(tmpdir()), 'runyard-sandbox-host-'))
  const child = spawn(process.execPath, [entry, 'sandbox-host'], {
    env: {
      PATH: process.env['PATH'],
      TMPDIR: dataDir,
      RUNYARD_DATA_DIR: dataDir,
      RUNYARD_SANDBOX_LISTEN: '127.0.0.1:0',
      RUNYARD_SANDBOX_TOKEN: sandboxToken,
      RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      LOG_FORMAT: 'json',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  let said = ''
  const listening = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const [, url] = /^Sandbox host of Runyard .* on (https?:\/\/\S+),/m.exec(said) ?? []
      if (url !== undefined) listening.resolve(url)
    })
  }
  void ended.then(() => listening.reject(new Error(`the sandbox host did not start: ${said}`)))
  return {
    url: await listening.promise,
    pid: child.pid ?? 0,
    said: () => said,
    workspaces: () => workspacesIn(join(dataDir, 'sandboxes')),
    signal: (name) => child.kill(name),
    ended,
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function workspacesIn(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const process of await readdir(folder)) {
    for (const sandbox of await readdir(join(folder, process))) {
      const workspace = join(folder, process, sandbox, 'workspace')
      const isThere = await access(workspace).then(
        () => true,
        () => false,
      )
      if (isThere) found.push(workspace)
    }
  }
  return found
}

/** Resolves when a file of this name is made or changed: by it a command says how far it is. */
export async function nextFile(folders: string[], name: string): Promise<void> {
  const found = new AbortController()
  const looks = folders.map(async (folder) => {
    for await (const { filename } of watch(folder, found)) if (filename === name) return
  })
  await Promise.race(looks)
  found.abort()
  await Promise.allSettled(looks)
}
