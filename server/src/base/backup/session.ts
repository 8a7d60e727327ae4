// A database session for COPY: fixed spelling of values, no time limits, and an end that never hangs.
import { Client } from 'pg'
import { cut } from '../databaseWatch.ts'
import { connectionSettings, type Address } from '../db.ts'

/** Whatever the server, its database or its roles have set: both ends of a copy must spell values the same way. */
const settings = [
  'set search_path = public',
  `set client_encoding = 'UTF8'`,
  `set datestyle = 'ISO, MDY'`,
  `set intervalstyle = 'postgres'`,
  'set extra_float_digits = 3',
  `set bytea_output = 'hex'`,
  `set timezone = 'UTC'`,
  // rows that a policy hides are an error, not a silently smaller copy
  'set row_security = off',
  'set statement_timeout = 0',
  'set idle_in_transaction_session_timeout = 0',
]

export async function withCopySession<T>(
  address: string | Address,
  applicationName: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    ...connectionSettings(address),
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  // a lost connection is told by the statement that needed it
  client.on('error', () => undefined)
  await client.connect()
  let result: T
  try {
    await client.query(settings.join(';'))
    result = await work(client)
  } catch (error) {
    // in the middle of a COPY a polite goodbye waits for ever; the server rolls back what is cut off
    cut(client)
    throw error
  }
  await client.end()
  return result
}
