// A database session for COPY: fixed spelling of values, no time limits, and an end that never hangs.
import type { Client } from 'pg'
import { connectionSettings, cut, SessionClient, type DatabaseAddress } from '../session.ts'

/** Whatever the server, its database or its roles have set: both ends of a copy must spell values the same way. */
const settings = {
  search_path: 'public',
  client_encoding: 'UTF8',
  extra_float_digits: '3',
  // rows that a policy hides are an error, not a silently smaller copy
  row_security: 'off',
}

export async function withCopySession<T>(
  address: DatabaseAddress,
  applicationName: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new SessionClient(
    {
      ...connectionSettings(address),
      application_name: applicationName,
      connectionTimeoutMillis: 10_000,
    },
    settings,
  )
  // the statement that needed the connection reports its loss
  client.on('error', () => undefined)
  await client.connect()
  let result: T
  try {
    result = await work(client)
  } catch (error) {
    // in the middle of a COPY a regular end waits for ever; the server rolls back what is cut off
    cut(client)
    throw error
  }
  await client.end()
  return result
}
