// The service with some work that silently ends the process that does it; the proofs about deadly work start it.
//
// The deadly work is a call of the http tool to `/kill`, a job of its own, a model that is asked about `kill-the-asker`, and a delivery
// with `kill-the-sender` in its body. A process that was started for one piece of work dies at once; the others wait for each other if
// RUNYARD_TEST_DEADLY says how many kinds there are, so that one process holds all of them when it dies.
import type { TeamModels } from '../../src/engine/builds/models.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { httpSet } from '../../src/engine/tools/http.ts'
import { engineOf } from '../../src/engine/engine.ts'
import { features } from '../../src/features.ts'
import type { Context } from '../../src/kit/context.ts'
import { feature, type Feature } from '../../src/kit/feature.ts'
import { job } from '../../src/kit/job.ts'
import { Type } from '../../src/kit/schema.ts'
import type { OutsideTool } from '../../src/kit/tool.ts'
import { exitWith, main } from '../../src/main.ts'

const isAlone = process.argv.includes('--suspects')
const kindsMax = Number(process.env['RUNYARD_TEST_DEADLY'] ?? 1)
const atWork = new Set<string>()

async function die(kind: string): Promise<never> {
  atWork.add(kind)
  if (isAlone || atWork.size >= kindsMax) process.kill(process.pid, 'SIGKILL')
  await sleep(10_000)
  return process.kill(process.pid, 'SIGKILL') as never
}

const tool = httpSet.tools[0] as unknown as OutsideTool
const { execute } = tool
tool.execute = async (call, outside) => {
  if (new URL((call.input as { url: string }).url).pathname === '/kill') await die('run')
  return execute(call, outside)
}

const armed = new WeakSet<Context>()

function arm(context: Context): void {
  if (armed.has(context)) return
  armed.add(context)
  const { models } = engineOf(context)
  const of = models.of.bind(models)
  models.of = async (teamId, sql) => {
    const own = await of(teamId, sql)
    return {
      ...own,
      find(name) {
        const model = own.find(name)
        return { isPure: model.isPure, open: (setup) => mortal(model.open(setup), JSON.stringify(setup)) }
      },
    }
  }
  const { outbound } = context
  const request = outbound.request.bind(outbound)
  outbound.request = async (wanted) => {
    if (String(wanted.body).includes('kill-the-sender')) await die('delivery')
    return request(wanted)
  }
}

type Conversation = ReturnType<ReturnType<TeamModels['find']>['open']>

function mortal(conversation: Conversation, setup: string): Conversation {
  let heard = setup
  return {
    add(entry) {
      heard += JSON.stringify(entry)
      conversation.add(entry)
    },
    async next(asked) {
      const isBuilder = heard.includes('builder kill-the-asker')
      if (heard.includes('kill-the-asker')) await die(isBuilder ? 'builder run' : 'judgement')
      return conversation.next(asked)
    },
  }
}

/** Every part of a feature that works gets its context armed first. */
function withArms(one: Feature): Feature {
  const { work, driveSuspect = {}, jobs } = one
  return {
    ...one,
    ...(work && {
      work(context, process) {
        arm(context)
        return work(context, process)
      },
    }),
    driveSuspect: Object.fromEntries(
      Object.entries(driveSuspect).map(([kind, drive]) => [
        kind,
        (call) => {
          arm(call.context)
          return drive(call)
        },
      ]),
    ),
    jobs: jobs.map((declared) => ({
      ...declared,
      handler(call) {
        arm(call.context)
        return declared.handler(call)
      },
    })),
  }
}

const deadlyJob = job({
  name: 'deadlyJob',
  input: Type.Object({}),
  safeToRepeat: 'it never ends',
  handler: () => die('job'),
})

/** Ends when the proof has made its table. */
const patientJob = job({
  name: 'patientJob',
  input: Type.Object({}),
  safeToRepeat: 'it writes nothing',
  async handler({ sql, signal }) {
    for (;;) {
      signal.throwIfAborted()
      const [found] = await sql<{ may_end: boolean }>`select to_regclass('jobs_may_end') is not null as may_end`
      if (found!.may_end) return
      await sleep(50)
    }
  },
})

const all = [...features.map(withArms), feature({ name: 'deadly', jobs: [deadlyJob, patientJob] })]
main(process.argv.slice(2), all).then(() => process.exit(0), exitWith)
