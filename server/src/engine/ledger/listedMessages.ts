// Messages of a run as lists give them: long texts whole while the page is small enough.
import { part, type Part, type Sql } from '../../base/db.ts'
import type { Message } from '../../kit/event.ts'
import {
  bytesOf,
  cutField,
  listed,
  longObject,
  markTruncated,
  truncatedColumn,
  withinPage,
} from '../../kit/pageBytes.ts'
import type { Static } from '../../kit/schema.ts'
import { listedText } from './largeTexts.ts'

const text = listedText(part`m`)
const toolCall = longObject(part`m.tool_call`, cutField(part`m.tool_call`, 'arguments'))
const toolResult = longObject(part`m.tool_result`, cutField(cutField(part`m.tool_result`, 'result'), 'error'))
const longColumns = [text, toolCall, toolResult]

/**
 * `rows`: conditions, order and limit of a select from `run_messages m`. `place`: the order in which messages count towards the bytes of
 * the page, so that the first of them is whole. Messages come in the order of their numbers.
 */
export async function listMessages(
  sql: Sql,
  runId: string,
  rows: Part,
  place: Part = part`m.seq`,
): Promise<Static<typeof Message>[]> {
  const sizes = part`
    select m.seq as id, ${place} as place, ${bytesOf(longColumns)} as bytes from run_messages m where m.run_id = ${runId} and ${rows}`
  const messages = await sql<Static<typeof Message>>`
    select m.id, m.run_id, m.seq, m.type, m.role, m."timestamp", ${listed(text)} as text_content, ${listed(toolCall)} as tool_call,
      ${listed(toolResult)} as tool_result, ${truncatedColumn(longColumns)}
    from ${withinPage(sizes)} page join run_messages m on m.run_id = ${runId} and m.seq = page.id order by m.seq`
  return markTruncated(messages)
}
