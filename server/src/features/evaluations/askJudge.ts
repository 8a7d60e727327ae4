// Asks the judge about one run: its prompt, its answer and the cost are stored before the answer is used.
import type { Sql } from '../../base/db.ts'
import { storableJson } from '../../base/storable.ts'
import { ModelTrouble, usageOf, type TokenUsage, type Turn } from '../../drivers/model/model.ts'
import { noteModelUse } from '../../engine/counting/usage.ts'
import { engineOf } from '../../engine/engine.ts'
import type { Context } from '../../kit/context.ts'
import { LeaseLost } from '../../kit/lease.ts'
import type { Result } from './evaluation.ts'
import { renew, type HeldJudgement, type JudgeTimes } from './heldJudgement.ts'
import { judgeSetup, readJudgement, request, type JudgedRubric } from './judgeModel.ts'
import { readTranscript } from './transcript.ts'

export interface JudgeReply {
  results: Result[]
}

/** There will be no answer that can be used; the message says why. */
export class NoAnswer extends Error {}

/** After how many invalid answers a judge is not asked again. */
const triesMax = 2

interface Asking {
  model: string
  times: JudgeTimes
  signal: AbortSignal
}

export async function askJudge(context: Context, held: HeldJudgement, asking: Asking): Promise<JudgeReply> {
  const { sql } = context.db
  const { models } = engineOf(context)
  const rubrics = await rubricsOf(sql, held)
  const transcript = await readTranscript(sql, held.team_id, held.run_id)
  if (!transcript) throw new NoAnswer('The run, or its log, was erased before the judge could read it.')
  const setup = judgeSetup(asking.model, rubrics, transcript)
  const told = [setup.procedure, JSON.stringify(setup.facts.message)]
  const noteUnwritten = (usage?: TokenUsage) => {
    const worst = () => models.worstCost(asking.model, Buffer.byteLength(told.join('')))
    const cost_usd = usage ? models.costOf(asking.model, usage) : worst()
    return noteModelUse(sql, { ...usedBy(held, asking), usage, cost_usd })
  }
  if (held.was_cut_off) await noteUnwritten()
  const conversation = (await models.of(held.team_id)).find(asking.model).open(setup)
  conversation.add({ kind: 'user', text: request, restarts: false })
  let said: string[] = told
  for (let tries = 1; ; tries++) {
    const turn = await nextTurn(asking, noteUnwritten, (signal) =>
      conversation.next({ signal, onText: () => undefined }),
    )
    await writeDown(context, held, asking, said, turn)
    const { ending } = turn
    if (ending.kind === 'failed') throw new NoAnswer(ending.message)
    const judged =
      ending.kind === 'done'
        ? readJudgement(rubrics, ending.output, transcript.messages)
        : { misfit: 'The judge asked for a tool, and there are none.' }
    if ('results' in judged) return judged
    if (tries === triesMax)
      throw new NoAnswer(`The judge gave no answer that can be used, also when asked again. ${judged.misfit}`)
    conversation.add({ kind: 'assistant', text: turn.text, calls: [], opaque: turn.opaque })
    said = [`${judged.misfit} Answer again with the whole JSON and nothing else.`]
    conversation.add({ kind: 'user', text: said[0]!, restarts: false })
  }
}

/** The rubrics that were active when the run was evaluated, whether or not they are active now. */
const rubricsOf = (sql: Sql, { team_id, build_id, results }: HeldJudgement): Promise<JudgedRubric[]> => {
  const slugs = results.flatMap(({ flag }) => (flag.startsWith('custom__') ? [flag.slice('custom__'.length)] : []))
  return sql<JudgedRubric>`
    select slug, title, description, severity from eval_rubrics
    where build_id = ${build_id} and team_id = ${team_id} and slug = any(${slugs}::text[]) order by sort_order, id`
}

/** A call that takes too long is cut off. An answer that is of no use, or did not arrive whole, may still cost money. */
async function nextTurn(
  { times, signal }: Asking,
  noteUnwritten: (usage?: TokenUsage) => Promise<void>,
  ask: (signal: AbortSignal) => Promise<Turn>,
): Promise<Turn> {
  const tooLong = AbortSignal.timeout(times.answerMs)
  try {
    return await ask(AbortSignal.any([signal, tooLong]))
  } catch (error) {
    const usage = usageOf(error)
    if (usage) await noteUnwritten(usage)
    // whoever has it now notes that this one was cut off
    if (signal.reason instanceof LeaseLost) throw error
    const isCutOff = signal.aborted || tooLong.aborted
    if (!usage && (isCutOff || (error instanceof ModelTrouble && error.mayBeServed))) await noteUnwritten()
    if (!isCutOff || signal.aborted) throw error
    throw new ModelTrouble(`The judge gave no answer within ${times.answerMs / 1000} seconds.`, { cause: error })
  }
}

/** An answer that came is paid for, whether or not this process still has the evaluation. */
async function writeDown(
  context: Context,
  held: HeldJudgement,
  asking: Asking,
  told: string[],
  turn: Turn,
): Promise<void> {
  const { model, times } = asking
  const { input_tokens, output_tokens } = turn.usage
  const cost_usd = engineOf(context).models.costOf(model, turn.usage)
  const answer = turn.text ?? (turn.ending.kind === 'failed' ? turn.ending.message : JSON.stringify(turn.calls))
  const said = storableJson([{ model, request: told, answer, input_tokens, output_tokens, cost_usd }])
  const isOurs = await context.db.transaction(async (sql) => {
    await noteModelUse(sql, { ...usedBy(held, asking), usage: turn.usage, cost_usd })
    if (!(await renew(sql, held, times))) return false
    await sql`
      update evaluations set model = ${model}, input_tokens = input_tokens + ${input_tokens}::bigint,
        output_tokens = output_tokens + ${output_tokens}::bigint, cost_usd = cost_usd + ${cost_usd}::numeric
      where id = ${held.evaluation_id} and team_id = ${held.team_id}`
    await sql`
      insert into evaluation_transcripts as t (evaluation_id, team_id, run_id, run_ended_at, said)
      values (${held.evaluation_id}, ${held.team_id}, ${held.run_id}, ${held.run_ended_at}, ${said}::jsonb)
      on conflict (evaluation_id) do update set said = t.said || excluded.said`
    return true
  })
  if (!isOurs) throw new LeaseLost()
}

const usedBy = ({ team_id, agent_id }: HeldJudgement, { model }: Asking) =>
  ({ team_id, agent_id, model, purpose: 'judge' }) as const
