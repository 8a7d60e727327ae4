// The open shells of a driver: how many there may be at once, who waits for a slot, and the end of them all.
import assert from 'node:assert/strict'
import {
  outputBytesAllowed,
  type Command,
  type Executed,
  type SandboxDriver,
  type Shell,
  type ShellFolders,
} from './sandbox.ts'

type OpenAndClose = Pick<SandboxDriver, 'open' | 'close'>

export function openShells(shellsMax: number, start: (folders: ShellFolders) => Shell): OpenAndClose {
  const shells = new Set<Shell>()
  const waiting: (() => void)[] = []
  let isClosed = false
  let taken = 0

  function giveBack(): void {
    const next = waiting.shift()
    if (next === undefined) taken -= 1
    else next()
  }

  async function place(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (taken < shellsMax) {
      taken += 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = (): void => {
      const index = waiting.indexOf(resolve)
      // not in the line: the slot has just become ours, and open() gives it back
      if (index === -1) return
      waiting.splice(index, 1)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    waiting.push(resolve)
    await promise
    signal.removeEventListener('abort', giveUp)
  }

  return {
    async open({ folder, laid, signal }) {
      await place(signal)
      if (isClosed || signal.aborted) {
        giveBack()
        signal.throwIfAborted()
        throw new Error('The sandboxes of this process are closed. Try again on another one, or once it has restarted.')
      }
      try {
        const shell = oneAtATime(start({ folder, laid }), () => {
          shells.delete(shell)
          giveBack()
        })
        shells.add(shell)
        return shell
      } catch (error) {
        giveBack()
        throw error
      }
    },

    async close() {
      isClosed = true
      await Promise.all([...shells].map((shell) => shell.close()))
    },
  }
}

/** The same shell, which takes one command at a time, cuts it off when it is closed, and can be closed twice. */
function oneAtATime(shell: Shell, whenClosed: () => void): Shell {
  const life = new AbortController()
  let running: Promise<Executed> | null = null
  let closing: Promise<void> | null = null

  async function close(): Promise<void> {
    life.abort(new Error('The sandbox was closed while the command ran.'))
    await Promise.allSettled([running])
    await shell.close()
  }

  return {
    async exec(command: Command) {
      assert.equal(running, null, 'a shell runs one command at a time')
      assert.equal(closing, null, 'the shell is closed')
      assert.ok(command.outputBytesMax <= outputBytesAllowed, 'so much output is never kept')
      const signal = AbortSignal.any([command.signal, life.signal])
      signal.throwIfAborted()
      running = shell.exec({ ...command, signal })
      try {
        return await running
      } finally {
        running = null
      }
    },
    close() {
      closing ??= close().finally(whenClosed)
      return closing
    },
  }
}
