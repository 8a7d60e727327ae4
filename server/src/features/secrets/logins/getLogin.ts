// Reads one login, without its password.
import { operation } from '../../../kit/operation.ts'
import { wrapped } from '../../../kit/schema.ts'
import { Login } from './login.ts'

export const getLogin = operation({
  id: 'getLogin',
  client: 'logins.get',
  route: 'GET /v2/logins/:login_id',
  summary: 'Get a login',
  scope: 'agents:read',
  status: 200,
  answer: wrapped('login', 'login_id', Login),
  handler: async ({ login }) => ({ login, login_id: login.id }),
})
