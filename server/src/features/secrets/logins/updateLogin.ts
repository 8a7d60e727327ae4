// Changes a login: its user name, password or seed, and who may use it.
import { one } from '../../../base/db.ts'
import { requireOwn } from '../../../engine/ledger/privateRight.ts'
import { operation } from '../../../kit/operation.ts'
import { nullable, Type, wrapped } from '../../../kit/schema.ts'
import { checkedDomain, fields, Login, loginColumns, Note, noteOn, openLogin, requireSeed, sealLogin } from './login.ts'

export const updateLogin = operation({
  id: 'updateLogin',
  client: 'logins.update',
  route: 'PATCH /v2/logins/:login_id',
  summary: 'Change a login',
  description:
    'Only the given fields change; `otp_secret: null` removes the seed. Another `domain` needs the password again, so that nobody can have ' +
    'the old one filled in elsewhere. Only its maker can change a private login.',
  scope: 'secrets:write',
  body: Type.Object(
    {
      domain: Type.Optional(fields.domain),
      username: Type.Optional(fields.username),
      password: Type.Optional(fields.password),
      otp_secret: Type.Optional(nullable(fields.otp_secret)),
      shared: Type.Optional(fields.shared),
    },
    { examples: [{ password: 'example-9876543210' }] },
  ),
  status: 200,
  answer: Type.Object({ ...wrapped('login', 'login_id', Login).properties, note: Note }),
  errors: ['duplicate_name', 'not_found', 'invalid_request', 'forbidden'],
  async handler({ team, caller, login: { id }, body, sql, context, fail }) {
    const [stored] = await sql<Login & { sealed: Buffer }>`
      select ${loginColumns}, l.sealed from logins l where l.id = ${id} and l.team_id = ${team.id} for update`
    if (!stored) return fail('not_found')
    requireOwn('login', { ...stored, name: stored.domain }, caller.member_id)
    requireSeed(body.otp_secret)
    const domain = body.domain === undefined ? stored.domain : checkedDomain(body.domain)
    const username = body.username ?? stored.username
    if (domain !== stored.domain && body.password === undefined) {
      return fail('invalid_request', 'Another domain needs the password again: send password too.')
    }
    if (domain !== stored.domain || username !== stored.username) {
      // locked against others who make logins in this team
      await sql`select id from teams where id = ${team.id} for no key update`
      const taken = await sql`
        select 1 from logins where team_id = ${team.id} and domain = ${domain} and username = ${username} and id <> ${id}`
      if (taken.length > 0) fail('duplicate_name', 'This team has a login of this user name for this domain.')
    }
    const before = openLogin(context.keyring, id, stored.sealed)
    // a seed that is not sent again does not move to another domain either
    const kept = domain === stored.domain ? before.otp_secret : null
    const otp_secret = body.otp_secret === undefined ? kept : body.otp_secret
    const secret = { password: body.password ?? before.password, otp_secret }
    const login = await one(sql<Login>`
      with l as (
        update logins set domain = ${domain}, username = ${username}, shared = ${body.shared ?? stored.shared},
          has_otp = ${otp_secret !== null}, sealed = ${sealLogin(context.keyring, id, secret)}, updated_at = now()
        where id = ${id} and team_id = ${team.id}
        returning *)
      select ${loginColumns} from l`)
    return { login, login_id: id, note: noteOn(body.password) }
  },
})
