// What operations about mails need before they can succeed: a caller with an address, and a confirmation mail.
import { newId } from '../../src/base/ids.ts'
import { confirmationToken } from '../../src/features/notifications/confirmationToken.ts'
import { endDrills, pastDrill } from './drillSeeds.ts'
import type { TestTeam } from './seed.ts'
import { testKeyring } from './testApp.ts'

/** What an operation needs of the caller or the installation, each time. */
const callersOf: Record<string, (team: TestTeam) => Promise<unknown>> = {
  sendTestMail: (team) => withAddress(team, true),
  requestEmailConfirmation: (team) => withAddress(team, false),
  startDrill: endDrills,
  stopDrill: pastDrill,
}

export async function readyCaller(operationId: string, team: TestTeam): Promise<void> {
  await callersOf[operationId]?.(team)
}

/** The mails that they asked for before do not count: there is a limit to them. */
async function withAddress({ sql, id, memberId }: TestTeam, isConfirmed: boolean): Promise<string> {
  const email = `${newId()}@example.com`
  await sql`
    update members set email = ${email}, verified_email = ${isConfirmed ? email : null} where id = ${memberId} and team_id = ${id}`
  await sql`delete from mails where team_id = ${id}`
  return email
}

/** Gives the token of a confirmation mail to the caller. */
export async function confirmationMail(team: TestTeam): Promise<string> {
  const address = await withAddress(team, false)
  const mailId = newId()
  await team.sql`
    insert into mails (id, team_id, member_id, purpose, address)
    values (${mailId}, ${team.id}, ${team.memberId}, 'confirmation', ${address})`
  return confirmationToken({ keyring: testKeyring }, mailId)
}
