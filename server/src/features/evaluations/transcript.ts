// A run as the judge reads it: its facts and messages as data, as much of them as fits, with marks where something is left out.
import { part, type Sql } from '../../base/db.ts'
import { wholeText } from '../../engine/ledger/largeTexts.ts'

export interface Transcript {
  run: { id: string; agent_id: string; created_at: Date }
  facts: Record<string, unknown>
  transcript: (Line | { left_out: string })[]
  /** Ids of the messages by their numbers. */
  messages: Map<number, string>
}

interface Line {
  n: number
  role: string
  type: string
  text: string
}

/** How many characters of one message are shown. A run may write 64 KiB at once. */
const textMax = 8000
/** How many characters of all messages are shown: about 75,000 tokens. A fifth of it goes to the beginning, which says what was asked. */
const charactersMax = 300_000
const beginningShare = 0.2
/** How many characters each of them has, however short it is. */
const messagesMax = 4000

interface Row {
  id: string
  n: number
  role: string
  type: string
  text: string
  length: number
}

/** Undefined: the run, or its log, is gone. */
export async function readTranscript(sql: Sql, teamId: string, runId: string): Promise<Transcript | undefined> {
  const [run] = await sql<
    Record<string, unknown> & { id: string; agent_id: string; created_at: Date; messages: number }
  >`
    select r.id, r.agent_id, r.created_at, a.name as agent, r.title, left(r.message::text, ${textMax}) as started_with, r.status, r.error,
      left(r.output::text, ${textMax}) as output, r.case_title as case, r.steps, r.active_ms, r.message_seq as messages
    from runs r join agents a on a.id = r.agent_id
    where r.id = ${runId} and r.team_id = ${teamId} and r.log_erased_at is null`
  if (!run) return undefined
  const { id, agent_id, created_at, messages, ...facts } = run
  const first = await readLines(sql, runId, 0, Math.min(messages, messagesMax / 5))
  const from = Math.max(messagesMax / 5, messages - (messagesMax * 4) / 5)
  const rest = messages > messagesMax / 5 ? await readLines(sql, runId, from, messages) : []
  const kept = fitting([...first, ...rest], messages)
  return {
    run: { id, agent_id, created_at },
    facts,
    transcript: kept,
    messages: new Map([...first, ...rest].map((row) => [row.n, row.id])),
  }
}

const readLines = (sql: Sql, runId: string, after: number, until: number): Promise<Row[]> => sql<Row>`
  select id, seq as n, role, type, left(said.text, ${textMax}) as text, length(said.text) as length
  from run_messages m, lateral (select concat_ws(' ', ${wholeText(part`m`)},
    m.tool_call ->> 'name', (m.tool_call -> 'arguments')::text,
    case when m.tool_result ->> 'error' is null then (m.tool_result -> 'result')::text else 'error: ' || (m.tool_result ->> 'error') end) as text) said
  where m.run_id = ${runId} and m.seq > ${after}::int and m.seq <= ${until}::int order by m.seq`

/** The beginning and the end that fit, with a mark between them. */
function fitting(rows: Row[], messages: number): Transcript['transcript'] {
  const lines = rows.map(lineOf)
  const sizeOf = (at: number): number => (lines[at]?.text.length ?? 0) + 50
  let head = 0
  for (let left = charactersMax * beginningShare; head < lines.length && sizeOf(head) <= left; head++)
    left -= sizeOf(head)
  let tail = lines.length
  for (let left = charactersMax * (1 - beginningShare); tail > head && sizeOf(tail - 1) <= left; tail--)
    left -= sizeOf(tail - 1)
  const leftOut = messages - head - (lines.length - tail)
  if (leftOut <= 0) return lines
  const mark = { left_out: `${leftOut} messages, because the run is too long to be read whole` }
  return [...lines.slice(0, head), mark, ...lines.slice(tail)]
}

function lineOf({ n, role, type, text, length }: Row): Line {
  const mark = length > textMax ? ` … [${length - textMax} characters left out]` : ''
  return { n, role, type, text: text + mark }
}
