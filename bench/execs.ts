// A command that does nothing, in a sandbox that is there and warm: over HTTP, against starting such a process with nothing around it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { post } from './calls.ts'
import type { Bed } from './interleave.ts'
import { at } from './latencyRows.ts'
import { makeDataDir, startService, type Service } from './service.ts'
import type { Row } from './table.ts'

const samples = 150
const drivers = ['just_bash', 'bubblewrap'] as const

export async function execs(bed: Bed): Promise<Row[]> {
  const rows: Row[] = []
  for (const driver of drivers) {
    await using dataDir = await makeDataDir()
    const service = await startService(dataDir, { env: { RUNYARD_SANDBOX: driver, LOG_LEVEL: 'error' } })
    try {
      rows.push(...(await measure(bed, service, driver)))
    } catch (error) {
      // where bubblewrap is not there this is what it says
      rows.push({ what: `exec of a no-op, ${driver}`, ours: `not measured: ${String(error).slice(0, 120)}`, floor: '' })
    } finally {
      await service.stop()
    }
  }
  return rows
}

async function measure(bed: Bed, service: Service, driver: string): Promise<Row[]> {
  const { sandbox_id } = await post(service, '/v2/sandboxes', {})
  const exec = (command: string) => post(service, `/v2/sandboxes/${String(sandbox_id)}/exec`, { command })
  const coldFrom = performance.now()
  await exec('echo x > file')
  const cold = performance.now() - coldFrom
  const whole: number[] = []
  const inside: number[] = []
  const bare: number[] = []
  for (let n = 0; n < samples + 10; n++) {
    bare.push(await timed(bareProcess))
    const from = performance.now()
    const { duration_ms, exit_code } = await exec('true')
    if (exit_code !== 0) throw new Error(`exit code ${String(exit_code)}`)
    whole.push(performance.now() - from)
    inside.push(duration_ms as number)
  }
  // the first ones warm up
  const [ours, shell, floor] = [whole, inside, bare].map((values) => at(values.slice(10), 0.5)) as [
    number,
    number,
    number,
  ]
  bed.tell(`${driver}: p50 ${ours.toFixed(1)} ms, the shell itself ${shell.toFixed(0)} ms`)
  return [
    {
      what: `exec of a no-op in a warm sandbox, ${driver}, p50 in ms`,
      ours: ours.toFixed(1),
      floor: `${floor.toFixed(1)} (spawn of /bin/true)`,
      ratio: `${(ours / floor).toFixed(1)}×`,
    },
    {
      what: '  of which the shell / the rest (HTTP, rows, files looked through) / the first one, cold',
      ours: `${shell.toFixed(1)} / ${(ours - shell).toFixed(1)} / ${cold.toFixed(0)}`,
      floor: '',
    },
  ]
}

async function bareProcess(): Promise<void> {
  await once(spawn('/bin/true', { stdio: 'ignore' }), 'exit')
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}
