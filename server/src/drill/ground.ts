// The ground of a drill: a scratch team with its agents, a counter of calls, a receiver of events, and workers that may be killed.
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { besideFile } from '../base/besideFile.ts'
import type { Config } from '../base/config.ts'
import type { Sql } from '../base/db.ts'
import { mustHave } from '../base/mustHave.ts'
import { drillPool } from '../engine/admission/workerPools.ts'
import { issueApiKey } from '../features/credentials/apiKey.ts'
import { noteScratchTeam } from '../features/system/drills/drillRows.ts'
import { createTeam } from '../features/teams/team.ts'
import { insertDrillTarget } from '../features/webhooks/drillTarget.ts'
import type { Context } from '../kit/context.ts'
import { startCallCounter, type CallCounter } from './callCounter.ts'
import { startProgram, type Program } from './children.ts'
import { startHookReceiver, type HookReceiver } from './hookReceiver.ts'
import type { KillingGround } from './killing.ts'
import { helperName, helperProcedure, procedure } from './procedures.ts'
import { bodyOf, requestsTo, type Answered, type Asked } from './requests.ts'

/** Where the workers find the counter and the receiver. */
const ownMachine = '127.0.0.1'
/** The same that commands of agents have: the service goes first. */
const niceness = 10
const workersAtOnce = 3

/** A drill was begun that cannot be made here. The message says what to do. */
export class DrillRefused extends Error {}

export interface Ground extends KillingGround {
  context: Context
  teamId: string
  agentId: string
  counter: CallCounter
  receiver: HookReceiver
  call: (request: Asked) => Promise<Answered>
  /** Ends the processes; the team stays. */
  close(): Promise<void>
}

interface Wanted {
  context: Context
  /** Where the drill itself answers requests. */
  baseUrl: string
  drillId: string
  processId: string
  /** The program that drives runs; the service itself unless a test has another. */
  workerFile?: string | undefined
}

export async function openGround(wanted: Wanted): Promise<Ground> {
  const { context, baseUrl } = wanted
  const { teamId, key } = await makeTeam(wanted)
  const counter = await started(startCallCounter())
  const receiver = await startHookReceiver()
  const workers: Program[] = []
  /** Also those that were killed: one whose start was under way at the end is not in the list of workers. */
  const all = new Set<Promise<Program>>()
  const startWorker = () => {
    const worker = started(startOne(context.config, teamId, wanted.workerFile))
    all.add(worker)
    return worker
  }
  const close = async () => {
    const ended = await Promise.allSettled([...all].map(async (one) => (await one).stop('SIGKILL')))
    await Promise.all([counter.stop(), receiver.down()])
    workers.length = 0
    for (const one of ended)
      if (one.status === 'rejected') context.log.debug({ err: one.reason }, 'a worker of the drill did not start')
  }
  try {
    const call = requestsTo(baseUrl, key)
    const agentId = await makeAgents(call, teamId, counter.url)
    await insertDrillTarget(context.db.sql, teamId, `${receiver.url}/drill`)
    workers.push(...(await Promise.all(Array.from({ length: workersAtOnce }, startWorker))))
    return { context, teamId, agentId, counter, receiver, call, workers, startWorker, sql: context.db.sql, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The drill's row names the team from the same commit on: whoever finds the row of a dead drill knows what to erase. */
function makeTeam({ context, drillId, processId }: Wanted): Promise<{ teamId: string; key: string }> {
  return context.db.transaction(async (sql: Sql) => {
    const at = new Date().toISOString().slice(0, 16).replace('T', ' ')
    const { teamId, memberId } = await createTeam(sql, {
      name: `Drill of ${at} (scratch team, erased when the drill ends)`,
      memberName: 'Drill',
    })
    await noteScratchTeam(sql, drillId, processId, teamId)
    const { secret } = await issueApiKey(sql, { teamId, memberId, name: 'Drill', scopes: ['*'], expiresAt: null })
    return { teamId, key: secret }
  })
}

async function makeAgents(call: Ground['call'], teamId: string, counterUrl: string): Promise<string> {
  const make = async (name: string, data: object): Promise<string> => {
    const body = { name, build: { config: { version: 'v2', data: { worker_pool: drillPool, ...data } } } }
    const made = bodyOf(await call({ method: 'POST', path: `/v2/teams/${teamId}/agents`, body }))
    return mustHave(made['agent_id'] as string | undefined, 'the id of an agent')
  }
  const helper = await make(helperName, { input: helperProcedure(counterUrl), plugins: ['http'] })
  const input = procedure(counterUrl)
  return make('Drilled', { input, plugins: ['http', 'human', 'agents'], subAgents: [helper] })
}

/** It serves the drill's team alone. So it may call this machine, and its death concerns nobody else. */
async function startOne(config: Config, teamId: string, file?: string): Promise<Program> {
  const program = await startProgram({
    entry: file ?? fileURLToPath(besideFile('../main', import.meta.url)),
    args: ['--role', 'worker'],
    env: {
      RUNYARD_DATA_DIR: config.dataDir,
      DATABASE_URL: config.databaseUrl ?? '',
      PORT: '',
      RUNYARD_DRILL_TEAM: teamId,
      RUNYARD_WORKER_POOLS: `team:${teamId}`,
      RUNYARD_ALLOW_PRIVATE_HOSTS: [...config.allowPrivateHosts, ownMachine].join(','),
      // its receiver is away for seconds, not for days
      RUNYARD_WEBHOOK_SCHEDULE: '0,1,1,2,2,5,5,10,10,10,30,30',
      LOG_LEVEL: 'error',
    },
    readySign: '└',
    endsWithUs: true,
  })
  setPriority(program.pid, niceness)
  return program
}

/** What keeps a process from being started is told as a sentence. */
async function started<T>(starting: Promise<T>): Promise<T> {
  try {
    return await starting
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DrillRefused(`The drill starts processes of its own, and one did not start: ${reason}`, { cause: error })
  }
}
