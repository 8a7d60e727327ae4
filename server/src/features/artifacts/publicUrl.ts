// The URL that shows a public artifact to anybody. Its signature covers a key that changes whenever the artifact becomes public again.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../../kit/context.ts'
import { runningPart } from '../../kit/runningPart.ts'

const keyOf = runningPart('key of public artifacts', (context) => context.keyring.derive('public artifacts'))

interface Public {
  id: string
  publicKey: string
}

/** Both are UUIDs, so the text that is signed can be read in one way only. */
const signatureOf = (context: Context, { id, publicKey }: Public): string =>
  createHmac('sha256', keyOf(context)).update(`${id} ${publicKey}`).digest('base64url')

export const publicUrl = (context: Context, artifact: Public): string =>
  `${context.baseUrl()}/pages/${artifact.id}/${signatureOf(context, artifact)}`

export function isSignedFor(context: Context, artifact: Public, signature: string): boolean {
  const wanted = Buffer.from(signatureOf(context, artifact))
  const given = Buffer.from(signature)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
