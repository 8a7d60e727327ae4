// The keyboard of a person at a terminal: single keys, and lines with or without an echo. Nothing is read while nobody asks.
import { emitKeypressEvents } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailed, Interrupted } from './command.ts'
import type { Output } from './output.ts'
import { widthOf } from './screenWidth.ts'

/** `text` is what it types, if it types something. */
export interface Key {
  name: string
  text: string
}

interface Pressed {
  name?: string
  ctrl?: boolean
  meta?: boolean
}

/** How long what was typed ahead may take to arrive. */
const typedAheadMs = 50

export class Keyboard {
  readonly #stdin: NodeJS.ReadStream
  readonly #out: Output
  /** Typed ahead: keys that came together with one that was asked for. */
  readonly #waiting: Key[] = []
  #take: ((key: Key) => void) | undefined
  #depth = 0

  constructor(stdin: NodeJS.ReadStream, out: Output) {
    this.#stdin = stdin
    this.#out = out
    emitKeypressEvents(stdin)
    stdin.on('keypress', this.#pressed)
  }

  /** The next key. Rejects with the reason of the signal. */
  async key(signal: AbortSignal): Promise<Key> {
    signal.throwIfAborted()
    const early = this.#waiting.shift()
    if (early) return early
    return this.hold(() => this.#next(signal))
  }

  async #next(signal: AbortSignal): Promise<Key> {
    const { promise, resolve, reject } = Promise.withResolvers<Key>()
    const stop = () => reject(signal.reason as Error)
    const end = () => reject(new Interrupted('The terminal was closed.'))
    this.#take = resolve
    signal.addEventListener('abort', stop, { once: true })
    this.#stdin.once('end', end)
    try {
      return await promise
    } finally {
      this.#take = undefined
      signal.removeEventListener('abort', stop)
      this.#stdin.off('end', end)
    }
  }

  /** While it works, what is typed comes here key by key, and the terminal shows none of it. */
  async hold<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#depth += 1
    if (this.#depth === 1) this.#stdin.setRawMode(true).resume()
    try {
      return await work()
    } finally {
      this.#depth -= 1
      // Ctrl-C must be a signal again while something else works
      if (this.#depth === 0) this.#stdin.setRawMode(false).pause()
    }
  }

  /** Drops what was typed so far: nobody approves what they had not seen. To be called before something is shown. */
  async forget(): Promise<void> {
    await this.hold(() => sleep(typedAheadMs))
    this.#waiting.length = 0
  }

  /** A line that a person types after the prompt. Escape gives undefined. */
  line(prompt: string, signal: AbortSignal, { isHidden = false } = {}): Promise<string | undefined> {
    return this.hold(() => this.#typed(prompt, signal, isHidden))
  }

  async #typed(prompt: string, signal: AbortSignal, isHidden: boolean): Promise<string | undefined> {
    let text = ''
    for (;;) {
      this.#out.draw(`\r\u001b[K${prompt}${isHidden ? '' : tailOf(text, this.#out.width - widthOf(prompt) - 1)}`)
      const key = await this.key(signal)
      if (key.name === 'return' || key.name === 'enter') break
      if (key.name === 'escape') return this.#end(undefined)
      if (key.name === 'ctrl-d' && text === '') return this.#end(undefined)
      if (key.name === 'ctrl-u') text = ''
      else if (key.name === 'backspace') text = Array.from(text).slice(0, -1).join('')
      else text += key.text
    }
    return this.#end(text)
  }

  close(): void {
    this.#stdin.off('keypress', this.#pressed)
    this.#stdin.pause()
  }

  #end<Value>(value: Value): Value {
    this.#out.draw('\n')
    return value
  }

  #pressed = (text: string | undefined, { name = '', ctrl = false, meta = false }: Pressed): void => {
    // in raw mode the terminal does not make a signal of it
    if (ctrl && name === 'c') return void process.emit('SIGINT')
    // oxlint-disable-next-line no-control-regex -- these type nothing
    const types = text !== undefined && !ctrl && !meta && !/[\u0000-\u001f\u007f]/.test(text)
    const key = { name: ctrl ? `ctrl-${name}` : name || (text ?? ''), text: types ? text : '' }
    const take = this.#take
    this.#take = undefined
    if (take) take(key)
    else this.#waiting.push(key)
  }
}

/** The end of a long line, where the person types. */
function tailOf(text: string, room: number): string {
  let shown = text
  while (widthOf(shown) > Math.max(1, room)) shown = Array.from(shown).slice(1).join('')
  return shown
}

/** A keyboard where there is a person who can type. */
export function keyboardOf(stdin: NodeJS.ReadStream, out: Output): Keyboard | undefined {
  return out.canAsk && stdin.isTTY ? new Keyboard(stdin, out) : undefined
}

/** How much may be piped in where one value is expected. */
const pipedMaxBytes = 1024 * 1024

/** All that is piped in. */
export async function textOf(stdin: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(part)
    size += bytes.length
    if (size > pipedMaxBytes) throw new CommandFailed(`More than ${pipedMaxBytes / 1024} KiB came in on stdin.`)
    parts.push(bytes)
  }
  return Buffer.concat(parts).toString('utf8')
}
