// The commands of this tab in each sandbox, with what they printed. A command that runs while the page is reloaded is asked for again with
// the same key, so it runs once and its answer comes all the same.
import { ConflictError } from '@runyard/sdk'
import { useSyncExternalStore } from 'react'
import { messageOf, queryClient, runyard } from '../../../app/client.ts'
import { newId } from '../../../app/work.ts'
import { storageOfTab } from '../../../parts/browserStorage.ts'
import { readCommands, type Command } from './commandRecord.ts'

const place = (sandbox: string): string => `runyard.commands.${sandbox}`

const logs = new Map<string, Command[]>()
const listeners = new Set<() => void>()

function logOf(sandbox: string): Command[] {
  let log = logs.get(sandbox)
  if (!log) logs.set(sandbox, (log = readCommands(storageOfTab()?.getItem(place(sandbox)) ?? null)))
  return log
}

function change(sandbox: string, next: Command[]): void {
  logs.set(sandbox, next)
  try {
    storageOfTab()?.setItem(place(sandbox), JSON.stringify(next))
  } catch (error) {
    // a full storage: after a reload the list is as it was before
    console.warn('The browser cannot keep the commands.', error)
  }
  for (const listener of listeners) listener()
}

const amend = (sandbox: string, id: string, more: Partial<Command>): void =>
  change(
    sandbox,
    logOf(sandbox).map((one) => (one.id === id ? { ...one, ...more } : one)),
  )

/** How many commands are kept. */
const keptMax = 30
/** What is longer is cut; a command can write it to a file. */
const outputMax = 60_000

export function runCommand(sandbox: string, command: string, timeoutS: number): void {
  const one: Command = { id: newId(), command, timeoutS, at: new Date().toISOString() }
  change(sandbox, [...logOf(sandbox), one].slice(-keptMax))
  void ask(sandbox, one)
}

/** After a reload: asks for what was under way. */
export function resumeCommands(sandbox: string): void {
  for (const one of logOf(sandbox)) if (!one.result && one.failure === undefined) void ask(sandbox, one)
}

export const clearCommands = (sandbox: string): void => change(sandbox, [])

const asked = new Set<string>()
const againMs = 1000

async function ask(sandbox: string, { id, command, timeoutS }: Command): Promise<void> {
  if (asked.has(id)) return
  asked.add(id)
  // by then the service knows that the sandbox is busy
  setTimeout(() => void queryClient.invalidateQueries({ queryKey: ['sandbox', sandbox] }), againMs)
  try {
    const answer = await answerOf(sandbox, id, { command, timeout_s: timeoutS })
    const isCut = answer.stdout.length > outputMax || answer.stderr.length > outputMax
    const result = { ...answer, stdout: answer.stdout.slice(0, outputMax), stderr: answer.stderr.slice(0, outputMax) }
    amend(sandbox, id, { result: { ...result, truncated: result.truncated || isCut } })
  } catch (error) {
    amend(sandbox, id, { failure: messageOf(error) })
  } finally {
    asked.delete(id)
  }
  for (const key of ['sandboxFiles', 'sandboxFile', 'sandbox', 'sandboxUsage'])
    void queryClient.invalidateQueries({ queryKey: [key] })
}

/** A worker may take a while to begin, and a process that dies makes the command begin again. */
const aroundMs = 90_000

async function answerOf(sandbox: string, id: string, input: { command: string; timeout_s: number }) {
  for (;;) {
    try {
      const timeoutMs = input.timeout_s * 1000 + aroundMs
      return await runyard.sandboxes.exec(sandbox, input, { idempotencyKey: `command:${id}`, timeoutMs })
    } catch (error) {
      // the call of before the reload still waits for its answer
      if (!(error instanceof ConflictError) || error.code !== 'idempotency_key_in_use') throw error
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }
}

export const useCommandLog = (sandbox: string): Command[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => logOf(sandbox),
  )
