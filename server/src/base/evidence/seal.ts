// A row of seals.jsonl, read: what the log of a run was when it was sealed, and who signed that.
import { isRecord } from '../isRecord.ts'
import { readObject } from './boundedObject.ts'
import { isSigned, keyIdOf, publicKeyFrom, signatureFrom } from './keys.ts'
import { digestOf } from './links.ts'
import { isCount, isSha256, isTime } from './manifest.ts'

const sealFormat = 'runyard-seal-1'
const signatureFormat = 'runyard-signature-1'

interface SealedRows {
  rows: number
  link: string
}

export interface ReadSeal {
  /** The SHA-256 of its text, in hex. */
  head: string
  teamId: string
  runId: string
  number: number
  configSha256: string
  /** The head of the seal before; null for the first. */
  before: string | null
  events: SealedRows
  steps: SealedRows
  /** Only those that are cut in their events. */
  messages: SealedRows
  /** Null: not signed yet. */
  signature: Record<string, unknown> | null
}

/** Undefined if the row is not a seal. */
export function readSeal(row: Buffer): ReadSeal | undefined {
  const outer = readObject(row)
  const text = outer?.['seal']
  const signature = outer?.['signature']
  if (typeof text !== 'string' || (signature !== null && !isRecord(signature))) return undefined
  const seal = readObject(Buffer.from(text))
  if (seal?.['format'] !== sealFormat) return undefined
  const { team_id: teamId, run_id: runId, config_sha256: configSha256, number, before, events, steps, messages } = seal
  if (typeof teamId !== 'string' || typeof runId !== 'string' || !isCount(number)) return undefined
  if (!isSha256(configSha256) || (before !== null && !isSha256(before))) return undefined
  if (!isSealedRows(events) || !isSealedRows(steps) || !isSealedRows(messages)) return undefined
  const head = digestOf(text).toString('hex')
  return { head, teamId, runId, number, configSha256, before, events, steps, messages, signature }
}

const isSealedRows = (value: unknown): value is SealedRows =>
  isRecord(value) && isCount(value['rows']) && isSha256(value['link'])

interface Signer {
  keyId: string
  publicKey: Buffer
  /** When it signed, by its own clock. */
  at: number
}

/** Signs many seals at once, so the same one is met again and again: the last is remembered. */
export class SealSignatures {
  #last = { text: '', signature: '', key: '' }

  /** Who signed the seal, or a sentence that says why nobody did. */
  check({ head, teamId }: ReadSeal, given: Record<string, unknown>): Signer | string {
    const { text, signature, public_key: key } = given
    const publicKey = publicKeyFrom(key)
    const bytes = signatureFrom(signature)
    if (typeof text !== 'string' || typeof key !== 'string' || typeof signature !== 'string' || !publicKey || !bytes)
      return 'Its signature cannot be read.'
    if (!this.#isLast(text, signature, key)) {
      if (!isSigned(publicKey, Buffer.from(text), bytes)) return 'Its signature is not one of the text that it signs.'
      this.#last = { text, signature, key }
    }
    const signed = readObject(Buffer.from(text))
    const keyId = keyIdOf(publicKey)
    if (signed?.['format'] !== signatureFormat || signed['key_id'] !== keyId || signed['team_id'] !== teamId)
      return 'What was signed names another format, key or team.'
    const { heads, at } = signed
    if (!Array.isArray(heads) || !heads.includes(head)) return 'It is not among the seals that were signed.'
    if (typeof at !== 'string' || !isTime(at)) return 'What was signed does not say when.'
    return { keyId, publicKey, at: Date.parse(at) }
  }

  #isLast(text: string, signature: string, key: string): boolean {
    const last = this.#last
    return last.text === text && last.signature === signature && last.key === key
  }
}
