// A model for the benches, in a process of its own: chat completions that take 300 ms each. The name of the model says how many calls
// a run makes: `calls-3` asks for three memory writes, one a turn, and then says that it is done.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const modelMs = 300

export interface SlowModel extends AsyncDisposable {
  url: string
}

export async function startSlowModel(): Promise<SlowModel> {
  const child = fork(fileURLToPath(import.meta.url))
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

interface Asked {
  model: string
  messages: { role: string }[]
}

const usage = { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 }

async function answer({ model, messages }: Asked, response: ServerResponse): Promise<void> {
  const wanted = Number(/\d+$/.exec(model)?.[0])
  const made = messages.filter(({ role }) => role === 'tool').length
  const envelope = { id: `chatcmpl-${made}`, object: 'chat.completion.chunk', created: 1_790_000_000, model }
  const call = {
    index: 0,
    id: `call_${made}`,
    type: 'function',
    function: { name: 'memory_write', arguments: JSON.stringify({ path: `note-${made}.md`, content: 'Rate 1.07' }) },
  }
  const isDone = made >= wanted
  const delta = { role: 'assistant', ...(isDone ? { content: 'All rates are noted.' } : { tool_calls: [call] }) }
  const chunks = [
    { ...envelope, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...envelope, choices: [{ index: 0, delta: {}, finish_reason: isDone ? 'stop' : 'tool_calls' }] },
    { ...envelope, choices: [], usage },
  ]
  await sleep(modelMs)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end([...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''))
}

function serve(): void {
  const server = createServer((request, response) => {
    text(request).then(
      (body) => answer(JSON.parse(body) as Asked, response),
      () => response.destroy(),
    )
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit(0))
}

if (import.meta.main) serve()
