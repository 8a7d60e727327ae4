// Starts the service as a process of its own, follows its events once it is ready, and ends both: the listener first.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Runyard } from '../../../sdk/src/index.ts'
import { CommandFailed, exit, type Call } from '../command.ts'
import { findTarget } from '../connect.ts'
import { followTeam } from './follow.ts'
import type { Wanted } from './options.ts'

export async function serveAndListen(call: Call, wanted: Wanted): Promise<number> {
  const { env, signal } = call
  const service = spawn(process.execPath, [process.argv[1] ?? '', 'serve', '--role', 'all'], {
    env: { ...env, LOG_LEVEL: env['LOG_LEVEL'] || 'warn' },
    // only events are data; the channel lets the service notice that we were killed
    stdio: ['ignore', process.stderr, 'inherit', 'ipc'],
    // Ctrl-C in a terminal reaches only us, so that the listener ends before the service
    detached: process.platform !== 'win32',
  })
  const ended = endOf(service)
  const ending = new AbortController()
  const end = (): void => ending.abort()
  signal.addEventListener('abort', end, { once: true })
  void ended.then(end, end)
  try {
    const baseUrl = await readyUrl(service, ending.signal)
    if (baseUrl !== undefined) {
      const target = await findTarget({ url: baseUrl }, env, process.cwd())
      await followTeam(new Runyard(target), { ...call, signal: ending.signal }, wanted)
    }
  } finally {
    // it may end at this moment, which is what we want
    if (service.connected) service.send('stop', () => undefined)
    else service.kill()
    await ended
  }
  const how = await ended
  if (!signal.aborted) throw new CommandFailed(`The service ended by itself (${how}). Its last lines say why.`)
  return how === 'exit code 0' ? exit.done : exit.failed
}

async function endOf(service: ChildProcess): Promise<string> {
  const [code, signal] = (await once(service, 'exit')) as [number | null, string | null]
  return code === null ? `signal ${signal}` : `exit code ${code}`
}

/** Where the service is once it answers; undefined when it ended, or was asked to, before that. */
async function readyUrl(service: ChildProcess, signal: AbortSignal): Promise<string | undefined> {
  try {
    const [message] = (await once(service, 'message', { signal })) as [{ ready?: string }]
    return message.ready
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}
