// The person of a drill: asked whether a cut-off call happened, looks at what the outside counted, and says the truth.
import { setTimeout as sleep } from 'node:timers/promises'
import { empty, isConnectionTrouble, part, type Sql } from '../base/db.ts'
import type { CallCounter } from './callCounter.ts'
import { bodyOf, type Answered, type Asked } from './requests.ts'

interface World {
  sql: Sql
  counter: Pick<CallCounter, 'count'>
  call: (request: Asked) => Promise<Answered>
  /** Undefined: of all teams. */
  teamId?: string
  /** Also approves what waits for an approval. */
  approves?: boolean
  /** How often it looks. */
  everyMs?: number
}

export interface Answers {
  happened: number
  makeItNow: number
  /** Answers that the service could not take at once, and that were given again. */
  saidAgain: number
}

export interface Person {
  /** What it said until now. */
  answers: Answers
  approved: () => number
  /** Answers what is open and then nothing more. */
  leave(): Promise<Answers>
}

interface Open {
  id: string
  run_id: string
  step: number
  type: string
  questions: { question: string; options: { label: string }[] }[] | null
}

export function honestPerson({ sql, counter, call, teamId, approves = false, everyMs = 20 }: World): Person {
  const answers: Answers = { happened: 0, makeItNow: 0, saidAgain: 0 }
  let approved = 0
  const leaving = new AbortController()
  const watching = watch()
  // told by leave(), which waits for it
  watching.catch(() => undefined)
  return {
    answers,
    approved: () => approved,
    async leave() {
      leaving.abort()
      await watching
      return answers
    },
  }

  async function watch(): Promise<void> {
    do {
      for (const request of await openRequests()) await answer(request)
      await sleep(everyMs)
    } while (!leaving.signal.aborted)
  }

  async function openRequests(): Promise<Open[]> {
    try {
      return await sql<Open>`
        select id, run_id, step, type, questions from human_requests
        where status = 'pending' and (title like 'Outcome unknown%' ${approves ? part`or type = 'approval'` : empty})
          ${teamId === undefined ? empty : part`and team_id = ${teamId}`}`
    } catch (error) {
      if (isConnectionTrouble(error)) return []
      throw error
    }
  }

  async function answer(request: Open): Promise<void> {
    const { id, run_id, type } = request
    const came = type !== 'approval' && (await counter.count(`${run_id}:${request.step}`)) > 0
    const body = type === 'approval' ? { approved: true } : whatHappened(request, came)
    const given = await call({ method: 'POST', path: `/v2/runs/${run_id}/human-requests/${id}/respond`, body })
    // stopped meanwhile, or answered by us before the answer to that was lost
    if (given.text.includes('human_request_closed')) return
    if (given.status >= 500) answers.saidAgain += 1
    else {
      bodyOf(given)
      if (type === 'approval') approved += 1
      else answers[came ? 'happened' : 'makeItNow'] += 1
    }
  }
}

function whatHappened({ questions }: Open, came: boolean): object {
  const [asked] = questions ?? []
  const [happened, again] = asked!.options.map(({ label }) => label)
  return { answers: { [asked!.question]: came ? happened : again } }
}
