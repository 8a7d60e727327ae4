// POST /in/{token}: takes what a sender brings to the address of a webhook trigger. It is answered 202 once it is stored, and started later.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import { isRecord } from '../../base/isRecord.ts'
import { hashToken } from '../../base/secrets.ts'
import { storableJson } from '../../base/storable.ts'
import { bodyTurnsOf } from '../../kit/bodyTurns.ts'
import type { Context } from '../../kit/context.ts'
import { announcedBytes, readBytes, strangerBodyMs } from '../../kit/requestBody.ts'
import { runningPart } from '../../kit/runningPart.ts'
import { shareLookups } from '../../kit/sharedLookups.ts'
import { addressOf, countStranger } from '../../kit/strangers.ts'
import { teamDatabaseOf } from '../../kit/teamDatabase.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { formOf, readBody } from './readContent.ts'
import { countInMinute, storeDelivery } from './storeDelivery.ts'
import { purposeOfSecret } from './trigger.ts'
import { isVerified, storedHeaders, type Verifier } from './verify.ts'

/** More than any sender of notices needs; GitHub alone may send more, and says so in its own delivery log. */
const bodyBytesMax = 1024 * 1024
const patienceMs = 5000

interface Address {
  id: string
  team_id: string
  enabled: boolean
  verifier: Verifier
  secret_header: string | null
  secret: Buffer | null
}

export function mountAddresses(app: FastifyInstance, context: Context): void {
  app.post('/in/:token', async (request, reply) => {
    const { token } = request.params as { token: string }
    const address = await addressFor(context, request, token)
    await teamTimeOf(context).turn(address.team_id, { patienceMs })
    const owner = { team_id: address.team_id, sender: addressOf(context, request.raw), isUnproved: true }
    const bodyBytes = announcedBytes(request.headers) ?? bodyBytesMax
    const turn = await bodyTurnsOf(context).enter(owner, Math.min(bodyBytes, bodyBytesMax))
    // the team pays for what came, not for what somebody announced
    let came = 0
    try {
      const bytes = await bodyOf(context, request)
      came = bytes.length
      return await take(context, address, { request, bytes }, reply)
    } finally {
      turn.leave(came)
    }
  })
}

/** Who announces a body and does not send it is counted like any stranger. */
async function bodyOf(context: Context, request: FastifyRequest): Promise<Buffer> {
  try {
    return (await readBytes(request, bodyBytesMax, strangerBodyMs)) ?? Buffer.alloc(0)
  } catch (error) {
    const isTooLarge = error instanceof Fault && error.code === 'payload_too_large'
    if (!isTooLarge) await countStranger(context, addressOf(context, request.raw))
    throw error
  }
}

async function take(
  context: Context,
  address: Address,
  { request, bytes }: { request: FastifyRequest; bytes: Buffer },
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!isFromSender(context, address, request, bytes)) {
    await countStranger(context, addressOf(context, request.raw))
    throw new Fault(
      'unauthorized',
      'The signature or secret of this request is missing, wrong or too old. Check the secret that the sender uses.',
    )
  }
  if (!address.enabled) throw new Fault('conflict', 'This webhook is paused. Nothing was stored.')
  // only what has proved itself counts here: a stranger cannot use up a sender's minute
  reply.headers(await countInMinute(context, address.id))
  const content = teamTimeOf(context).piece(address.team_id, () => contentOf(address, request, bytes))
  const challenge = challengeOf(address, content.body)
  if (challenge !== undefined) return reply.code(200).type('text/plain').send(challenge)
  return answer(context, address, reply, storableJson(content))
}

async function answer(context: Context, address: Address, reply: FastifyReply, content: string): Promise<FastifyReply> {
  const { id: triggerId, team_id: teamId } = address
  const id = newId()
  await teamDatabaseOf(context, teamId).transaction((sql) =>
    storeDelivery(context, sql, { id, teamId, triggerId, content }),
  )
  return reply.code(202).header('cache-control', 'no-store').send({ delivery_id: id })
}

/** A token that leads nowhere is counted by the address that sent it, like any other wrong credential. */
async function addressFor(context: Context, request: FastifyRequest, token: string): Promise<Address> {
  const found = token.length <= 100 ? await lookUpOf(context)(hashToken(token.toLowerCase())) : undefined
  if (found) return found
  await countStranger(context, addressOf(context, request.raw))
  throw new Fault('not_found', 'No webhook has this URL. It may have been deleted, or given a new URL.')
}

/** Strangers can ask as often as they like: their look-ups share one statement. */
const lookUpOf = runningPart('addresses of triggers', ({ db }) =>
  shareLookups(async (hashes: Buffer[]) => {
    const rows = await db.sql<Address & { token_hash: Buffer }>`
      select id, team_id, enabled, verifier, secret_header, secret, token_hash from triggers
      where token_hash = any(${hashes}::bytea[]) and kind = 'webhook'`
    const byHash = new Map(rows.map((row) => [row.token_hash.toString('hex'), row]))
    return hashes.map((one) => byHash.get(one.toString('hex')))
  }),
)

function isFromSender({ keyring }: Context, address: Address, { headers }: FastifyRequest, body: Buffer): boolean {
  const { id, verifier, secret_header: header } = address
  if (verifier === 'none') return true
  if (!address.secret) return false
  const secret = keyring.open(address.secret, purposeOfSecret(id)).toString()
  // the real time, not the clock of tests: the sender's clock is what it is compared with
  return isVerified({ headers, body }, { verifier, secret, header, now: new Date() })
}

const contentOf = ({ secret_header }: Address, request: FastifyRequest, bytes: Buffer) => ({
  body: readBody(bytes, request.headers['content-type']),
  headers: storedHeaders(request.headers, secret_header),
  query: formOf(request.raw.url?.split('?')[1] ?? ''),
})

/** Slack asks a new address to repeat a text before it sends anything else. */
function challengeOf({ verifier }: Address, body: unknown): string | undefined {
  if (verifier !== 'slack' || !isRecord(body) || body['type'] !== 'url_verification') return undefined
  return typeof body['challenge'] === 'string' ? body['challenge'] : undefined
}
