// What a working process does for mails: spreads what happened, makes mails of what is due, and sends them, a few at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import { part } from '../../base/db.ts'
import { createFairPool, teamShare, type FairPool } from '../../base/fairPool.ts'
import { newId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import type { Work, WorkingProcess } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { formMails, settleLost, takeMails, type TakenMail } from './outbox.ts'
import { leaseSecondsOf, mailServerOf, sendMail, type MailServer } from './sendMail.ts'
import { spreadHappenings } from './spread.ts'

/** How many mails a process sends at a time. */
const sendersMax = 4
/** How long nothing is tried after the mail server could not be reached. */
const awayMs = 15_000

interface Mailer {
  context: Context
  server: MailServer
  worker: string
  isLost: () => boolean
  slots: FairPool
  sending: Set<Promise<void>>
  /** Aborted when the process must end although mails are under way. */
  cut: AbortController
  isStopping: boolean
  /** Nothing is sent before this reading of performance.now(). */
  awayUntil: number
}

export function startMailer(context: Context, process: WorkingProcess): Work {
  const server = mailServerOf(context)
  // what happened until then is sent if a mail server is set within a day
  if (!server) return { poll: async () => undefined, stop: async () => undefined }
  const mailer = openMailer(context, server, process.id, () => process.lost().aborted)
  let round: Promise<void> | undefined
  return {
    async poll() {
      round ??= goRound(mailer)
        .catch((error: unknown) => context.log.warn({ err: error }, 'could not look after mails; will retry'))
        .finally(() => (round = undefined))
    },
    async stop() {
      mailer.isStopping = true
      const ended = Promise.all([round, ...mailer.sending])
      await Promise.race([ended, sleep(context.config.drainS * 1000, undefined, { ref: false })])
      mailer.cut.abort()
      await ended
    },
  }
}

function openMailer(context: Context, server: MailServer, worker: string, isLost: () => boolean): Mailer {
  const perTeam = teamShare(sendersMax, context.config.teamShare)
  return {
    context,
    server,
    worker,
    isLost,
    slots: createFairPool({ name: 'mails', size: sendersMax, perTeam }),
    sending: new Set(),
    cut: new AbortController(),
    isStopping: false,
    awayUntil: -Infinity,
  }
}

const asked = {
  news: part`exists (select from happenings)`,
  notices: part`exists (select from notices where due_at <= now())`,
  lost: part`exists (select from mails where state in ('sending', 'ending') and held_until <= now())`,
  mails: part`exists (select from mails where state = 'due' and due_at <= now())`,
}

async function goRound(mailer: Mailer): Promise<void> {
  const { context } = mailer
  const { sql } = context.db
  if (isOver(mailer)) return
  const due = await lookFor(context, asked)
  try {
    if (due.lost) await settleLost(sql, {})
    if (due.news) while (!isOver(mailer) && (await spreadHappenings(context)) > 0);
    if (due.news || due.notices) while (!isOver(mailer) && (await formMails(sql, limitsOf(context))) > 0);
  } finally {
    // what is a mail already goes out, whatever stands in the way of new ones
    if (due.news || due.notices || due.mails) await sendDue(mailer)
  }
}

const isOver = ({ isStopping, isLost }: Mailer): boolean => isStopping || isLost()

const limitsOf = ({ config }: Context) => ({ gapS: config.mailGapS, perTeamHour: config.mailsPerTeamHour })

/** Until nothing is due that a slot is free for. */
async function sendDue(mailer: Mailer): Promise<void> {
  const { context, server, worker, slots, sending } = mailer
  while (!isOver(mailer) && performance.now() >= mailer.awayUntil) {
    const taken = await takeMails(context.db.sql, {
      worker,
      max: slots.size - slots.taken(),
      leaseS: leaseSecondsOf(server),
      fullTeams: slots.fullTeams(),
    })
    for (const mail of taken) {
      const release = slots.tryTake(mail.team_id)
      const work: Promise<void> = send(mailer, mail)
        .catch((error: unknown) =>
          context.log.warn({ err: error, mail_id: mail.id }, 'could not write what became of a mail; its lease ends'),
        )
        .finally(() => {
          release?.()
          sending.delete(work)
        })
      sending.add(work)
    }
    if (sending.size === 0) return
    // a slot that is free for some team
    if (taken.length === 0 || slots.taken() >= slots.size) await Promise.race(sending)
  }
}

async function send(mailer: Mailer, mail: TakenMail): Promise<void> {
  const { context, server, worker, cut } = mailer
  const isReached = await sendMail(context, mail, { server, worker, signal: cut.signal })
  if (!isReached) mailer.awayUntil = performance.now() + awayMs
}

/** Does everything that is due until nothing is left. Tests use it instead of waiting. */
export async function drainMails(context: Context): Promise<void> {
  const server = mailServerOf(context)
  if (!server) throw new Error('the settings have no mail server')
  const mailer = openMailer(context, server, newId(), () => false)
  await goRound(mailer)
  await Promise.all(mailer.sending)
}
