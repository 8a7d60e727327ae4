// runyard sandbox exec: a command in a sandbox, with its output and its exit code as if it ran here.
import { command, UsageError } from '../command.ts'
import { withoutOrders } from '../output.ts'

export const sandboxExec = command({
  words: 'sandbox exec',
  needs: 'service',
  says: 'Run a command in a sandbox, and exit with its exit code.',
  about: 'One word is given to bash as it stands; several words are one command with its arguments.',
  positionals: ['SANDBOX', 'COMMAND…'],
  options: { timeout: { type: 'string', value: 'SECONDS', says: 'how long it may take' } },
  examples: ["runyard sandbox exec $SANDBOX 'ls -l | wc -l'", 'runyard sandbox exec $SANDBOX -- grep -r TODO .'],
  async run({ positionals, values, out, signal, service }) {
    const [sandbox = '', ...words] = positionals
    const { timeout } = values
    if (timeout !== undefined && !/^\d{1,9}$/.test(timeout))
      throw new UsageError('--timeout must be a whole number of seconds.')
    const line = words.length === 1 ? (words[0] ?? '') : words.map(quoted).join(' ')
    const runyard = await service()
    const input = { command: line, ...(timeout !== undefined && { timeout_s: Number(timeout) }) }
    const done = await runyard.sandboxes.exec(sandbox, input, { signal, timeoutMs: waitMs(timeout), maxRetries: 0 })
    if (out.isJson) {
      out.line(JSON.stringify(done))
      return done.exit_code
    }
    out.bytes(Buffer.from(out.isForPeople ? withoutOrders(done.stdout) : done.stdout))
    out.draw(out.isLive ? withoutOrders(done.stderr) : done.stderr)
    if (done.truncated) out.note('It printed more than 512 KiB; the rest is lost.')
    return done.exit_code
  },
})

/** How much longer than the command the answer may take. */
const marginMs = 60_000
const usualTimeoutS = 600

const waitMs = (timeout: string | undefined): number => Number(timeout ?? usualTimeoutS) * 1000 + marginMs

const quoted = (word: string): string => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
