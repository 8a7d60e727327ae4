// The tool that reads a run's own log: results that its model is shown shortened, or that are folded, are still in the ledger.
import type { Sql } from '../../base/db.ts'
import type { ToolSet } from '../../kit/feature.ts'
import { Type } from '../../kit/schema.ts'
import { outsideTool, type Outcome } from '../../kit/tool.ts'
import type { SeenFile } from '../../drivers/model/model.ts'
import { readSeenFiles } from '../ledger/seenFiles.ts'

/** How much of a result comes at once: what is recalled must fit a small window too. */
const charsAtOnce = 6000
const argumentsChars = 1000
const hitsMax = 10
const aroundHit = 160
/** Words are looked for in the newest messages, up to this number and this size of them. */
const searchedMessages = 20_000
const searchedBytes = 32 * 1024 ** 2

// an outside tool although it only reads: a search must not keep the commits of other runs waiting, as one in the apply lane would
const recall = outsideTool({
  name: 'recall',
  description:
    'Read from the log of this run what you are shown shortened or not any more: the result of a step by its number, with its pictures, or where words occur.',
  input: Type.Object(
    {
      step: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The step whose result to read.' }),
      ),
      offset: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'From which character on.' }),
      ),
      find: Type.Optional(
        Type.String({ minLength: 2, maxLength: 200, description: 'Words to find, exactly as they were written.' }),
      ),
    },
    { additionalProperties: false },
  ),
  onDoubt: 'retry',
  leaves: 'never',
  timeoutMs: 30_000,
  async execute({ run, input: { step, offset = 0, find } }, { context }) {
    const { sql } = context.db
    if ((step === undefined) === (find === undefined)) return { error: 'Give either step or find.' }
    return step === undefined ? findWords(sql, run.id, find ?? '') : readStep(sql, run.id, step, offset)
  },
})

interface StepRow {
  tool: string
  given: string | null
  text: string | null
  characters: number | null
  error: string | null
}

async function readStep(sql: Sql, runId: string, step: number, offset: number): Promise<Outcome> {
  const [found] = await sql<StepRow>`
    select tool, left(arguments::text, ${argumentsChars}) as given, error, length(whole) as characters,
      substr(whole, ${offset}::int + 1, ${charsAtOnce}) as text
    from (
      select tool, arguments, error, case when jsonb_typeof(result) = 'string' then result #>> '{}' else result::text end as whole
      from run_steps where run_id = ${runId} and seq = ${step} and kind <> 'model' and state in ('done', 'failed')
    ) s`
  if (!found) return { error: `Step ${step} of this run is not a call that has ended.` }
  const { tool, given, text, error, characters } = found
  const next = offset + charsAtOnce
  const shows = offset === 0 ? askedFor(await readSeenFiles(sql, runId, step)) : []
  return {
    ...(shows.length > 0 && { shows }),
    result: {
      step,
      tool,
      arguments: given,
      ...(error === null ? { result: text, characters } : { error }),
      ...(characters !== null && next < characters && { next_offset: next }),
    },
  }
}

/** Now they are asked for. */
const askedFor = (files: SeenFile[]): SeenFile[] =>
  files.map((file) => {
    const asked = { ...file }
    delete asked.is_aside
    return asked
  })

interface Hit {
  turn: number
  role: string
  step: string | null
  text: string
}

async function findWords(sql: Sql, runId: string, words: string): Promise<Outcome> {
  const hits = await sql<Hit>`
    select turn, role, step, substr(text, greatest(1, place - ${aroundHit}::int), ${2 * aroundHit + words.length}::int) as text
    from (
      select seq, turn, role, text, step, position(lower(${words}) in lower(text)) as place
      from (
        select seq, turn, role, substr(coalesce(tool_call ->> 'id', tool_result ->> 'tool_call_id'), 38) as step,
          coalesce(text_content, (tool_call -> 'arguments')::text, tool_result ->> 'error', (tool_result -> 'result')::text, '') as text
        from (
          select *, sum(coalesce(pg_column_size(text_content), 0) + coalesce(pg_column_size(tool_call), 0)
            + coalesce(pg_column_size(tool_result), 0)) over (order by seq desc) as bytes
          from (
            select seq, turn, role, text_content, tool_call, tool_result from run_messages
            where run_id = ${runId} order by seq desc limit ${searchedMessages}
          ) newest
        ) sized where bytes <= ${searchedBytes}::bigint
      ) texts
    ) found
    where place > 0 order by seq limit ${hitsMax}`
  return { result: { found: hits.map(({ step, ...hit }) => ({ ...hit, ...(step && { step: Number(step) }) })) } }
}

/** It is not a plugin: every run with a model has it. */
export const recallSet: ToolSet = {
  name: 'recall',
  title: 'Recall',
  description: 'Read the log of the run itself.',
  provider: null,
  tools: [recall],
}
