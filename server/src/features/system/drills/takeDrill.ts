// In every working process: takes a drill that was asked for, in a process of its own, and gives up drills whose process died.
import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { besideFile } from '../../../base/besideFile.ts'
import { part } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import type { Tick } from '../../../kit/feature.ts'
import { enqueueOn } from '../../../kit/job.ts'
import { runningPart } from '../../../kit/runningPart.ts'
import { lookFor } from '../../../kit/sharedLook.ts'
import { breakOffLost, endDrill, isActive, takeRequested } from './drillRows.ts'
import { eraseDrillTeams } from './eraseDrillTeams.job.ts'

/** It cannot be imported from here: it uses what all features have. */
const program = fileURLToPath(besideFile('../../../drill/main', import.meta.url))

const asked = { active: part`exists (select from drills where ${isActive})` }
/** How much of what a drill's process wrote to its log is shown when it failed. */
const logCharsMax = 2000

const childrenOf = runningPart('drills', () => new Set<ChildProcess>())

export const watchDrills: Tick = async ({ context }) => {
  const { active } = await lookFor(context, asked)
  if (!active) return
  await giveUpLost(context)
  const processId = context.lifecycle.processId
  if (processId === undefined || context.lifecycle.draining) return
  const drill = await takeRequested(context.db.sql, processId)
  if (drill) startApart(context, drill.id)
}

/** Exported for its test: the rest of the tick starts a process. */
export async function giveUpLost({ db, log }: Context): Promise<void> {
  await db.transaction(async (sql) => {
    for (const { id } of await breakOffLost(sql)) {
      log.warn({ drill_id: id }, 'the process of a drill died; its scratch team is erased')
      await enqueueOn(sql)(eraseDrillTeams, {})
    }
  })
}

/** It ends when this process ends: its channel closes. */
function startApart(context: Context, id: string): void {
  const children = childrenOf(context)
  const child = spawn(process.execPath, [program, id], {
    env: { ...process.env, RUNYARD_DATA_DIR: context.config.dataDir },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  children.add(child)
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-logCharsMax)))
  const ended = (how: string) => {
    if (!children.delete(child)) return
    void noteEnd(context, id, said.trim() || how)
  }
  child.once('error', (error) => ended(`This machine does not let the service start a process: ${error.message}`))
  child.once('exit', (code, signal) => ended(`The process of the drill ended with ${code ?? signal}.`))
}

/** A drill that came to its end has written that itself. */
async function noteEnd({ db, log }: Context, id: string, problem: string): Promise<void> {
  try {
    await db.transaction(async (sql) => {
      if (await endDrill(sql, id, { state: 'broken_off', problem })) await enqueueOn(sql)(eraseDrillTeams, {})
    })
  } catch (error) {
    log.warn({ err: error, drill_id: id }, 'the end of a drill was not noted; the process that finds it does so')
  }
}

/** They clean up, which may take longer than this process does to end. */
export async function stopDrills(context: Context): Promise<void> {
  for (const child of childrenOf(context)) child.kill('SIGTERM')
}
