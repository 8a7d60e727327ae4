// Makes a login for the pages of a domain.
import { one } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { operation } from '../../../kit/operation.ts'
import { Type, wrapped } from '../../../kit/schema.ts'
import { checkedDomain, fields, Login, loginColumns, Note, noteOn, requireSeed, sealLogin } from './login.ts'

/** How many a team may have. */
const loginsMax = 1000

export const createLogin = operation({
  id: 'createLogin',
  client: 'logins.create',
  route: 'POST /v2/teams/:teamId/logins',
  summary: 'Make a login',
  description:
    'Runs of builds that name it in `data.logins`, by its id or its domain, have the tool `browser_login`, which fills it into a page of ' +
    'that domain alone. The model never sees it, and pictures have its fields masked.',
  scope: 'secrets:write',
  body: Type.Object(
    {
      domain: fields.domain,
      username: fields.username,
      password: fields.password,
      otp_secret: Type.Optional(fields.otp_secret),
      shared: Type.Optional(fields.shared),
    },
    { examples: [{ domain: 'shop.example.com', username: 'orders@example.com', password: 'example-0123456789' }] },
  ),
  status: 201,
  answer: Type.Object({ ...wrapped('login', 'login_id', Login).properties, note: Note }),
  errors: ['duplicate_name', 'conflict', 'invalid_request'],
  async handler({ team, caller, body, sql, context, fail }) {
    const domain = checkedDomain(body.domain)
    const { username, password, otp_secret = null, shared = true } = body
    requireSeed(otp_secret)
    const { made } = await one(sql<{ made: number }>`select count(*) as made from logins where team_id = ${team.id}`)
    if (made >= loginsMax) {
      return fail(
        'conflict',
        `This team has ${loginsMax} logins, which is the most. Delete one that is no longer used.`,
      )
    }
    const id = newId()
    const [login] = await sql<Login>`
      with l as (
        insert into logins (id, team_id, user_id, domain, username, shared, has_otp, sealed)
        values (${id}, ${team.id}, ${caller.member_id}, ${domain}, ${username}, ${shared}, ${otp_secret !== null},
          ${sealLogin(context.keyring, id, { password, otp_secret })})
        on conflict (team_id, domain, username) do nothing
        returning *)
      select ${loginColumns} from l`
    if (!login)
      return fail('duplicate_name', 'This team has a login of this user name for this domain. Change that one.')
    return { login, login_id: id, note: noteOn(password) }
  },
})
