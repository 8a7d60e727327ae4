// Texts of more than 64 KiB: kept once, as blobs, with their beginning in the row; and how a row gives back the whole.
import { hash } from 'node:crypto'
import { part, type Part } from '../base/db.ts'

/** As the trigger run_messages_kept has it. */
export const inlineBytesMax = 64 * 1024
/** As much as the search reads of a run. */
const beginningLength = 20_000

/** Of a row of run_messages. */
export const wholeText = (row: Part): Part =>
  part`case when ${row}.text_blob is null then ${row}.text_content else blob_text(${row}.text_blob) end`

/** Of `runs r`. */
export const wholeMessage = part`
  case when r.message_blob is null then r.message
    when r.message_is_text then to_jsonb(blob_text(r.message_blob)) else blob_text(r.message_blob)::jsonb end`

export interface MessageColumns {
  message: unknown
  /** In hexadecimal: the blob that the first message of the run makes, in the same statement. */
  message_blob: string | null
  message_is_text: boolean | null
}

/** How a run's row names the message it is started with; `text` is that message as the log has it. */
export function messageColumns(message: unknown, text: string | undefined): MessageColumns {
  if (text === undefined || Buffer.byteLength(text) <= inlineBytesMax) {
    return { message: message ?? null, message_blob: null, message_is_text: null }
  }
  return {
    message: beginningOf(text),
    message_blob: hash('sha256', text, 'hex'),
    message_is_text: typeof message === 'string',
  }
}

/** Not with half of a surrogate pair at its end. */
const beginningOf = (text: string): string => text.slice(0, beginningLength).replace(/[\uD800-\uDBFF]$/, '')
