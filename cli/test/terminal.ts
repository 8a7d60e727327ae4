// A terminal of 80 columns for tests: runs a program in a real pseudo-terminal and knows what its screen shows.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const columns = 80
const rows = 24

/** `script` of util-linux makes the pseudo-terminal. Where there is none, tests say that they were skipped. */
export const noTerminal: string | false = spawnSync('sh', ['-c', 'script --version'], {
  encoding: 'utf8',
}).stdout.includes('util-linux')
  ? false
  : 'there is no `script` of util-linux to make a pseudo-terminal'

/** What a terminal makes of the bytes that it gets: text, line breaks, cursor movements and erasing. Colours are dropped. */
export class Screen {
  /** All lines, also those that have left the screen at its top. */
  readonly #lines: string[][] = [[]]
  #row = 0
  #column = 0
  /** Sequences that it does not know: a test wants to know of them. */
  readonly unknown: string[] = []

  write(text: string): void {
    // oxlint-disable-next-line no-control-regex -- a terminal lives of them
    for (const [piece] of text.matchAll(/\u001b\[[?\d;]*[A-Za-z]|\u001b[^[]|[\s\S]/gu)) {
      if (piece.startsWith('\u001b[')) this.#obey(piece)
      else if (piece.startsWith('\u001b')) this.unknown.push(piece)
      else this.#put(piece)
    }
  }

  /** Without blanks at the ends of lines and empty lines at the end. */
  text(): string {
    const lines = this.#lines.map((cells) =>
      Array.from(cells, (cell) => cell ?? ' ')
        .join('')
        .trimEnd(),
    )
    return lines.join('\n').trimEnd()
  }

  #put(letter: string): void {
    if (letter === '\n') return this.#down()
    if (letter === '\r') this.#column = 0
    else if (letter === '\b') this.#column = Math.max(0, this.#column - 1)
    else if (letter !== '\u0007') {
      if (this.#column >= columns) {
        this.#column = 0
        this.#down()
      }
      const line = (this.#lines[this.#row] ??= [])
      line[this.#column] = letter
      this.#column += 1
    }
  }

  #down(): void {
    this.#row += 1
    this.#lines[this.#row] ??= []
  }

  #obey(sequence: string): void {
    const what = sequence.at(-1)
    const count = Number.parseInt(sequence.slice(2), 10)
    const steps = Number.isNaN(count) ? 1 : count
    // what has left the screen at its top can no longer be reached
    const top = Math.max(0, this.#lines.length - rows)
    if (what === 'A') this.#row = Math.max(top, this.#row - steps)
    else if (what === 'B') this.#row += steps
    else if (what === 'C') this.#column += steps
    else if (what === 'D') this.#column = Math.max(0, this.#column - steps)
    else if (what === 'G') this.#column = steps - 1
    else if (what === 'K') this.#eraseInLine(Number.isNaN(count) ? 0 : count)
    else if (what === 'J' && (Number.isNaN(count) || count === 0)) {
      this.#eraseInLine(0)
      this.#lines.length = this.#row + 1
    } else if (what !== 'm' && sequence !== '\u001b[?25l' && sequence !== '\u001b[?25h') this.unknown.push(sequence)
  }

  #eraseInLine(how: number): void {
    const line = this.#lines[this.#row] ?? []
    if (how === 0) line.length = Math.min(line.length, this.#column)
    else line.fill(' ', 0, how === 1 ? this.#column + 1 : line.length)
  }
}

export interface Terminal {
  screen: Screen
  /** Every byte that the program wrote, colours too. */
  bytes: () => string
  type: (keys: string) => void
  /** Waits until the screen shows it. */
  shows: (what: string | RegExp) => Promise<void>
  exited: Promise<number>
  /** Only for a test that fails before the program ends. */
  kill: () => void
}

const showsMaxMs = 60_000
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** `typedAhead`: what the terminal has before the program begins, and so before it reads anything. */
export function inTerminal(words: string[], env: NodeJS.ProcessEnv, folder: string, typedAhead?: string): Terminal {
  // reading it ends when somebody writes
  const begin = typedAhead === undefined ? undefined : join(folder, 'begin')
  if (begin !== undefined) execFileSync('mkfifo', [begin])
  const waits = begin === undefined ? '' : `: < ${quoted(begin)}; `
  const line = `stty rows ${rows} cols ${columns}; ${waits}exec ${words.map(quoted).join(' ')}`
  const child = spawn('script', ['-q', '-e', '-f', '-c', line, '/dev/null'], {
    env: { ...env, SHELL: '/bin/sh', TERM: 'xterm-256color' },
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const screen = new Screen()
  let bytes = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    bytes += text
    screen.write(text)
  })
  const exited = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  let isOver = false
  void exited.then(() => (isOver = true))
  const type = (keys: string): void => void child.stdin.write(keys)
  const shows = async (what: string | RegExp): Promise<void> => {
    for (const end = Date.now() + showsMaxMs; ; await sleep(20)) {
      const text = screen.text()
      if (typeof what === 'string' ? text.includes(what) : what.test(text)) return
      if (isOver || Date.now() > end) throw new Error(`The screen never showed ${String(what)}:\n${text}`)
    }
  }
  if (begin !== undefined && typedAhead !== undefined) {
    type(typedAhead)
    // the terminal shows what it has got; a program that never begins shows nothing else, and whoever waits for that says so
    shows(typedAhead).then(
      () => writeFile(begin, ''),
      () => undefined,
    )
  }
  return { screen, bytes: () => bytes, type, shows, exited, kill: () => void child.kill('SIGKILL') }
}
