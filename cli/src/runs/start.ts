// runyard run: starts a run of an agent, and waits for it or follows it if asked to.
import { readFile } from 'node:fs/promises'
import type { StartRunInput } from '../../../sdk/src/index.ts'
import { command, CommandFailed, Interrupted, UsageError, type Call } from '../command.ts'
import { msOf } from '../times.ts'

export const run = command({
  words: 'run',
  positionals: ['AGENT'],
  needs: 'service',
  says: 'Start a run of an agent, given by its id or its name.',
  about:
    'Prints the id of the run. With --wait it shows the steps as they happen and prints the output; questions and approvals are answered at the prompt. Where nobody can be asked it exits with 5 and says how to answer. Ctrl-C leaves the run running.',
  options: {
    input: {
      type: 'string',
      short: 'i',
      value: 'JSON|@FILE|-',
      says: 'what to give the run: an object as JSON, or text; @FILE reads a file, - reads stdin',
    },
    wait: { type: 'boolean', short: 'w', says: 'wait for the end and print the output' },
    follow: { type: 'boolean', short: 'f', says: 'print the events of the run as they come' },
    title: { type: 'string', value: 'TEXT', says: 'what to call the run' },
    timeout: { type: 'string', value: '10m', says: 'how long to wait; the run continues, and the exit code is 124' },
    'idempotency-key': {
      type: 'string',
      value: 'KEY',
      says: 'the same key again starts no second run, and prints the id of the first',
    },
  },
  examples: [
    `runyard run "Invoice check" --wait --input '{"invoice":"INV-17"}'`,
    'runyard run Report -i @figures.json --wait --json | jq .output',
  ],
  async run(call) {
    const { values, positionals, out, signal, service } = call
    const { wait, follow, title, timeout } = values
    const timeoutMs = timeout === undefined ? undefined : msOf(timeout, '--timeout')
    if (timeoutMs !== undefined && !wait && !follow) throw new UsageError('--timeout goes with --wait or --follow.')
    const message = await messageOf(call, values.input)
    const runyard = await service()
    const { agentIdOf } = await import('../findAgent.ts')
    const agent_id = await agentIdOf(runyard, positionals[0] ?? '')
    const input: StartRunInput = {
      agent_id,
      ...(message !== undefined && { message }),
      ...(title !== undefined && { title }),
    }
    const idempotencyKey = values['idempotency-key']
    const { run: started } = await runyard.runs
      .start(input, { signal, ...(idempotencyKey !== undefined && { idempotencyKey }) })
      .catch((error: unknown) => {
        throw signal.aborted
          ? new Interrupted('Interrupted. The run may have started: runyard runs shows it.', { cause: error })
          : error
      })
    if (wait || follow) {
      if (!follow && out.canAsk) out.note(`Run ${started.id}`)
      const { followRun } = await import('./follow.ts')
      return followRun(call, runyard, started.id, { prints: follow ? 'events' : 'output', timeoutMs, isStarted: true })
    }
    out.record(started, () => [started.id])
    if (out.isForPeople) out.note(`Follow it with: runyard runs tail ${started.id}`)
    return undefined
  },
})

type Given = string | Record<string, unknown>

async function messageOf({ stdin }: Call, input: string | undefined): Promise<Given | undefined> {
  if (input === undefined) return undefined
  if (input === '-') return parsed(await (await import('../keyboard.ts')).textOf(stdin()))
  if (!input.startsWith('@')) return parsed(input)
  try {
    return parsed(await readFile(input.slice(1), 'utf8'))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new CommandFailed(`The input cannot be read: ${error.message}`, { cause: error })
  }
}

/** An object, or text. What begins like an object but is not JSON was meant as one. */
function parsed(text: string): Given {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'string') return value
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : text
  } catch (error) {
    if (!text.trimStart().startsWith('{')) return text
    throw new UsageError(`--input is not JSON: ${(error as Error).message}`, { cause: error })
  }
}
