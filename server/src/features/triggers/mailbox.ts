// Mail for triggers, where the operator switched it on: one working process on a machine takes it, and another one when that process ends.
import { newId } from '../../base/ids.ts'
import { Fault } from '../../base/errors.ts'
import { hashToken } from '../../base/secrets.ts'
import { storableJson } from '../../base/storable.ts'
import { MailRefused, startInbox, type Inbox, type RunningInbox } from '../../drivers/mail/inbound.ts'
import { readMail } from '../../drivers/mail/readMail.ts'
import type { Context } from '../../kit/context.ts'
import type { Work } from '../../kit/feature.ts'
import { takesMail } from './mailAddress.ts'
import { countInMinute, storeDelivery } from './storeDelivery.ts'

export function startMailbox(context: Context): Work {
  const { config, log } = context
  if (!takesMail(config)) return { poll: async () => undefined, stop: async () => undefined }
  const { host, inboundMailPort: port, inboundMailDomain: domain } = config
  let running: Promise<RunningInbox | undefined> | undefined
  const open = async () => {
    try {
      const inbox = await startInbox({ host, port: port!, name: domain!, inbox: inboxOf(context) })
      log.info({ port: inbox.port, domain }, 'taking mail for triggers')
      return inbox
    } catch (error) {
      // another process of this machine has the port: it takes the mail, and this one tries again
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
      throw error
    }
  }
  return {
    async poll() {
      running ??= open()
      if ((await running.catch(() => undefined)) === undefined) running = undefined
    },
    async stop() {
      await (await running?.catch(() => undefined))?.close()
    },
  }
}

export const inboxOf = (context: Context): Inbox => ({
  knows: async (address) => (await boxesOf(context, [address])).length > 0,
  take: (to, raw) => take(context, to, raw),
})

interface Box {
  id: string
  team_id: string
}

/** The enabled triggers behind these addresses. What stands behind a plus in an address is the sender's own. */
async function boxesOf({ config, db }: Context, addresses: string[]): Promise<Box[]> {
  const hashes = addresses.flatMap((address) => {
    const at = address.lastIndexOf('@')
    const isOurs = address.slice(at + 1).toLowerCase() === config.inboundMailDomain
    return isOurs ? [hashToken(address.slice(0, at).split('+', 1)[0]!.toLowerCase())] : []
  })
  return db.sql<Box>`
    select id, team_id from triggers where token_hash = any(${hashes}::bytea[]) and kind = 'email' and enabled`
}

async function take(context: Context, to: string[], raw: Buffer): Promise<void> {
  const boxes = await boxesOf(context, to)
  if (boxes.length === 0) throw new MailRefused('No such address here', false)
  const content = storableJson({ mail: readMail(raw) })
  try {
    for (const { id } of boxes) await countInMinute(context, id)
    await context.db.transaction(async (sql) => {
      for (const { id, team_id: teamId } of boxes)
        await storeDelivery(context, sql, { id: newId(), teamId, triggerId: id, content })
    })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const isFull = error.code === 'entitlement_exceeded'
    throw new MailRefused(isFull ? 'The mailbox is full' : 'Too many mails, try again later', true)
  }
}
