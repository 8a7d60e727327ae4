// What is signed: the heads of seals of one team. A head is the SHA-256 of the text of a seal, which the database makes (rows.ts).
import { hash } from 'node:crypto'

/** The SHA-256 of a text, in hex. */
export const sha256Of = (text: string): string => hash('sha256', text)

interface SignedHeads {
  id: string
  team_id: string
  key_id: string
  at: Date
  /** One behind the other. */
  heads: Buffer
}

export const headBytes = 32

/** The text that is signed for seals of one team that were made together. */
export function signedText({ id, team_id, key_id, at, heads }: SignedHeads): string {
  const digits = heads.toString('hex')
  const each = Array.from({ length: heads.length / headBytes }, (_, n) =>
    digits.slice(2 * headBytes * n, 2 * headBytes * (n + 1)),
  )
  return JSON.stringify({ format: 'runyard-signature-1', id, team_id, key_id, at: at.toISOString(), heads: each })
}
