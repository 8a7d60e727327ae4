// The person of the proofs: asked whether a cut-off call happened, looks at what the outside counted, and says the truth.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionTrouble } from '../../src/base/db.ts'
import { bodyOf, type Yard } from './yard.ts'

export interface Answers {
  happened: number
  makeItNow: number
  /** Answers that the service could not take at once, and that were given again. */
  saidAgain: number
}

export interface Person {
  /** So far. */
  answers: Answers
  /** Answers what is open and then nothing more. */
  leave(): Promise<Answers>
}

interface Open {
  id: string
  run_id: string
  step: number
  questions: { question: string; options: { label: string }[] }[]
}

export function honestPerson(yard: Yard): Person {
  const answers: Answers = { happened: 0, makeItNow: 0, saidAgain: 0 }
  const leaving = new AbortController()
  const watching = watch()
  // told by leave(), which waits for it
  watching.catch(() => undefined)
  return {
    answers,
    async leave() {
      leaving.abort()
      await watching
      return answers
    },
  }

  async function watch(): Promise<void> {
    do {
      for (const request of await openRequests()) await answer(request)
      await sleep(20)
    } while (!leaving.signal.aborted)
  }

  async function openRequests(): Promise<Open[]> {
    try {
      return await yard.sql<Open>`
        select id, run_id, step, questions from human_requests where status = 'pending' and title like 'Outcome unknown%'`
    } catch (error) {
      if (isConnectionTrouble(error)) return []
      throw error
    }
  }

  async function answer({ id, run_id, step, questions: [asked] }: Open): Promise<void> {
    const [happened, again] = asked!.options.map(({ label }) => label)
    const came = (await yard.counter.count(`${run_id}:${step}`)) > 0
    const body = { answers: { [asked!.question]: came ? happened : again } }
    const given = await yard.call({ method: 'POST', path: `/v2/runs/${run_id}/human-requests/${id}/respond`, body })
    // stopped meanwhile, or answered by us before the answer to that was lost
    if (given.text.includes('human_request_closed')) return
    if (given.status >= 500) answers.saidAgain += 1
    else {
      bodyOf(given)
      answers[came ? 'happened' : 'makeItNow'] += 1
    }
  }
}
