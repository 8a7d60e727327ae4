// Starts the service in a process of its own, follows its events when it is ready, and ends both together.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { exit, type Call } from '../command.ts'
import { followTeam } from './follow.ts'

interface Values {
  'forward-to'?: string
  events?: string
}

/** The last line of what the service prints when it is ready. */
const readySign = '└'

export async function serveAndListen(call: Call<Values>): Promise<number> {
  const { env, out, signal, values } = call
  const program = fileURLToPath(new URL('../main.ts', import.meta.url))
  const service = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const ended = once(service, 'exit') as Promise<[number | null]>
  const ending = new AbortController()
  const stop = () => {
    ending.abort()
    // Ctrl-C in a terminal reaches it by itself, and once is enough for it
    if (service.exitCode === null && !process.stdin.isTTY) service.kill('SIGINT')
  }
  signal.addEventListener('abort', stop, { once: true })
  void ended.then(() => ending.abort())
  const ready = new Promise<void>((resolve) => {
    let printed = ''
    service.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out.draw(text)
      if (printed.includes(readySign)) return
      printed += text
      if (printed.includes(readySign)) resolve()
    })
  })
  await Promise.race([ready, ended])
  const { 'forward-to': forwardTo, events } = values
  if (forwardTo !== undefined && !ending.signal.aborted) {
    const wanted = { forwardTo, ...(events !== undefined && { events: events.split(',') }), isJson: out.isJson }
    try {
      await followTeam({ ...call, signal: ending.signal }, wanted)
    } catch (error) {
      stop()
      await ended
      throw error
    }
  }
  const [code] = await ended
  return code ?? exit.failed
}
