// Reads one connection.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { Connection } from './store/connection.ts'

export const getConnection = operation({
  id: 'getConnection',
  client: 'connections.get',
  route: 'GET /v2/connections/:connection_id',
  summary: 'Get a connection',
  description: 'No operation returns the secrets of a connection.',
  scope: 'connections:read',
  status: 200,
  answer: wrapped('connection', 'connection_id', Connection),
  handler: async ({ connection }) => ({ connection, connection_id: connection.id }),
})
