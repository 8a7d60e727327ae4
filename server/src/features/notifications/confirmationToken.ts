// The token in a confirmation mail: the mail's id, signed. Nothing of it is stored, and it says nothing about anybody.
import { createHmac } from 'node:crypto'
import type { Context } from '../../kit/context.ts'
import { sameBytes } from '../../base/secrets.ts'

const signatureOf = ({ keyring }: Pick<Context, 'keyring'>, mailId: string): string =>
  createHmac('sha256', keyring.derive('e-mail confirmation')).update(mailId).digest('base64url')

export const confirmationToken = (context: Pick<Context, 'keyring'>, mailId: string): string =>
  `${mailId}.${signatureOf(context, mailId)}`

/** The id of the mail that this token was sent in; undefined for anything else. */
export function mailOfToken(context: Context, token: string): string | undefined {
  const [, mailId, given] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(token) ?? []
  if (mailId === undefined || given === undefined) return undefined
  return sameBytes(Buffer.from(given), Buffer.from(signatureOf(context, mailId))) ? mailId : undefined
}
