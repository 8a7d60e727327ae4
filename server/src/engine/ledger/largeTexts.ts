// Texts of more than 64 KiB are stored once, as blobs, with their beginning in the row. This file also reads the whole text back.
import { part, type Part } from '../../base/db.ts'
import { hashInSteps } from '../../base/hashInSteps.ts'
import { takeStepsInTurns } from '../../base/steps.ts'
import { longJson, longText, type LongColumn } from '../../kit/pageBytes.ts'

/** The trigger run_messages_kept has the same bound. */
export const inlineBytesMax = 64 * 1024
/** The search reads this much of a run. */
const beginningLength = 20_000

/** SQL for the whole text of a row of run_messages. */
export const wholeText = (row: Part): Part =>
  part`case when ${row}.text_blob is null then ${row}.text_content else blob_text(${row}.text_blob) end`

/** SQL for the whole message of `runs r`. */
export const wholeMessage = part`
  case when r.message_blob is null then r.message
    when r.message_is_text then to_jsonb(blob_text(r.message_blob)) else blob_text(r.message_blob)::jsonb end`

const bytesOfBlob = (blob: Part): Part => part`(select b.size_bytes from blobs b where b.sha256 = ${blob})`

/** The text of a row of run_messages in lists. */
export const listedText = (row: Part): LongColumn => {
  const beginning = longText(part`${row}.text_content`)
  const bytes = part`coalesce(${bytesOfBlob(part`${row}.text_blob`)}, ${beginning.bytes})`
  return { ...beginning, whole: wholeText(row), bytes }
}

/** The message of `runs r` in lists. */
export const listedMessage: LongColumn = ((beginning) => ({
  ...beginning,
  whole: wholeMessage,
  bytes: part`coalesce(${bytesOfBlob(part`r.message_blob`)}, ${beginning.bytes})`,
}))(longJson(part`r.message`))

/**
 * SQL for the order in which a statement inserts messages: by the names of their blobs. The trigger locks each blob until the commit, so two
 * transactions with the same texts would deadlock if each locked them in an order of its own.
 */
export const blobOrder = (text: Part): Part =>
  part`case when octet_length(${text}) > ${inlineBytesMax}::int then sha256(convert_to(${text}, 'UTF8')) end`

interface MessageColumns {
  message: unknown
  /** The SHA-256 of the blob, in hexadecimal; the first message of the run creates that blob in the same statement. */
  message_blob: string | null
  message_is_text: boolean | null
}

/** How a run's row refers to the message it starts with; `text` is that message as the log has it. */
export function messageColumns(message: unknown, text: string | undefined, large: LargeText | null): MessageColumns {
  if (text === undefined || large === null) {
    return { message: message ?? null, message_blob: null, message_is_text: null }
  }
  return {
    message: beginningOf(text),
    message_blob: large.sha256,
    message_is_text: typeof message === 'string',
  }
}

/** A text that is stored as a blob. */
export interface LargeText {
  bytes: number
  sha256: string
}

/** Null for a text that its row has room for. */
export async function largeTextOf(text: string | undefined): Promise<LargeText | null> {
  const bytes = text === undefined ? 0 : Buffer.byteLength(text)
  if (text === undefined || bytes <= inlineBytesMax) return null
  const sha256 = await takeStepsInTurns(hashInSteps(Buffer.from(text)))
  return { bytes, sha256: sha256.toString('hex') }
}

/** The beginning never ends with half of a surrogate pair. */
const beginningOf = (text: string): string => text.slice(0, beginningLength).replace(/[\uD800-\uDBFF]$/, '')
