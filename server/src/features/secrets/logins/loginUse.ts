// How runs use logins: the browser asks for the one of a page, and gets it only for its own domain.
import { part } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'
import { isOfDomain } from '../../../base/pageDomain.ts'
import { notForThisRun, runMayUse } from '../../../engine/ledger/privateRight.ts'
import type { GivenTo, LoginUse, NamedInBuilds } from '../../../kit/given.ts'
import { noteUse } from '../noteUse.ts'
import { loginsNamed, openLogin } from './login.ts'
import { codeAt, readSeed } from './totp.ts'

interface Row {
  id: string
  domain: string
  username: string
  sealed: Buffer
  is_usable: boolean
}

const rowsOf = ({ context, run, given }: GivenTo): Promise<Row[]> => context.db.sql<Row>`
  select l.id, l.domain, l.username, l.sealed, ${runMayUse(part`l`, run.id)} as is_usable from logins l
  where l.team_id = ${run.team_id}
    and (l.domain = any(${given.logins}::text[]) or l.id = any(${given.logins.filter(isId)}::uuid[]))
  order by l.created_at, l.id`

export const loginUse: LoginUse = {
  async list(asked) {
    const rows = asked.given.logins.length > 0 ? await rowsOf(asked) : []
    return rows.filter(({ is_usable }) => is_usable).map(({ id, domain }) => ({ id, domain }))
  },
  async find({ pageUrl, login, ...asked }) {
    const { context, run } = asked
    const named = (await rowsOf(asked)).filter(
      ({ id, domain }) => login === undefined || id === login || domain === login,
    )
    const fitting = named.filter(({ domain }) => isOfDomain(pageUrl, domain))
    const [row, ...more] = fitting
    if (!row) {
      const domains = [...new Set(named.map(({ domain }) => domain))].join(', ') || 'no domain'
      const which = login === undefined ? 'The logins of this run are' : `The login ${login} is`
      throw new Error(`${which} for ${domains}, and the page is not of it. Nothing was filled in.`)
    }
    if (more.length > 0) {
      const ids = fitting.map(({ id }) => id).join(', ')
      throw new Error(`${fitting.length} logins are for this page. Say which by its id: ${ids}.`)
    }
    if (!row.is_usable) throw new Error(notForThisRun('login', row.domain))
    await noteUse(asked, 'useLogin', { type: 'login', id: row.id })
    await context.db.sql`
      update logins set last_used_at = now() where id = ${row.id} and team_id = ${run.team_id}
        and (last_used_at is null or last_used_at < now() - interval '1 minute')`
    const { password, otp_secret } = openLogin(context.keyring, row.id, row.sealed)
    const seed = otp_secret === null ? undefined : readSeed(otp_secret)
    const code = seed ? () => codeAt(seed, new Date()) : null
    return { domain: row.domain, username: row.username, password, code }
  },
}

/** Also of logins that this run may not use: what the page of another run showed must not be seen either. */
export async function hiddenLogins(asked: GivenTo): Promise<string[]> {
  if (asked.given.logins.length === 0) return []
  return (await rowsOf(asked)).flatMap(({ id, sealed }) => {
    const { password, otp_secret } = openLogin(asked.context.keyring, id, sealed)
    return otp_secret === null ? [password] : [password, otp_secret]
  })
}

export const loginsInBuilds: NamedInBuilds = {
  kind: 'logins',
  noun: 'login',
  find: async ({ sql, teamId, wanted }) =>
    (await loginsNamed(sql, teamId, wanted)).map(({ id, domain }) => ({ id, name: domain })),
}
