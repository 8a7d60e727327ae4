// What a person reads when a run can no longer be followed.
import assert from 'node:assert/strict'
import { ConnectionError, type Runyard } from '../../../sdk/src/index.ts'
import { proves } from '../../../server/test/kit/proves.ts'
import type { Call } from '../command.ts'
import { outputOf } from '../output.ts'
import { followRun } from './follow.ts'

const wait = () => Promise.reject(new ConnectionError('http://any cannot be reached: gone.'))

async function saidWhenAway(isTTY: boolean): Promise<{ code: number; said: string }> {
  let said = ''
  const stderr = { write: (text: unknown) => (said += String(text)), isTTY }
  const out = outputOf({ json: false, csv: false, env: {}, stdout: { write: () => undefined }, stderr })
  const call = { out, stdin: () => ({}), signal: new AbortController().signal } as unknown as Call
  const runyard = { runs: { wait } } as unknown as Runyard
  return { code: await followRun(call, runyard, 'one', { prints: 'events' }), said }
}

proves('cli.exit', 'after a service that is away, each command that helps ends its sentence', async () => {
  const [says, start, follow] = [
    'http://any cannot be reached: gone. This did not end the run one.',
    'Is the service running? Start it with: runyard',
    'Then follow it with: runyard runs tail one',
  ]
  assert.deepEqual(await saidWhenAway(false), { code: 7, said: `${says} ${start}. ${follow}\n` })
  assert.deepEqual(await saidWhenAway(true), { code: 7, said: `${says}\n  ${start}\n  ${follow}\n` })
})
