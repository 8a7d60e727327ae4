// The person of the proofs: asked whether a cut-off call happened, looks at what the outside counted, and says the truth.
import { setTimeout as sleep } from 'node:timers/promises'
import { bodyOf, type Yard } from './yard.ts'

export interface Answers {
  happened: number
  makeItNow: number
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
  const answers: Answers = { happened: 0, makeItNow: 0 }
  let leaves = false
  const watching = watch()
  // told by leave(), which waits for it
  watching.catch(() => undefined)
  return {
    answers,
    async leave() {
      leaves = true
      await watching
      return answers
    },
  }

  async function watch(): Promise<void> {
    do {
      await answerAll()
      await sleep(20)
    } while (!leaves)
  }

  async function answerAll(): Promise<void> {
    const open = await yard.sql<Open>`
      select id, run_id, step, questions from human_requests where status = 'pending' and title like 'Outcome unknown%'`
    for (const request of open) await answer(request)
  }

  async function answer({ id, run_id, step, questions: [asked] }: Open): Promise<void> {
    const [happened, again] = asked!.options.map(({ label }) => label)
    const came = (await yard.counter.count(`${run_id}:${step}`)) > 0
    const body = { answers: { [asked!.question]: came ? happened : again } }
    bodyOf(await yard.call({ method: 'POST', path: `/v2/runs/${run_id}/human-requests/${id}/respond`, body }))
    answers[came ? 'happened' : 'makeItNow'] += 1
  }
}
