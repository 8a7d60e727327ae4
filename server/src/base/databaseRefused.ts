// Says in one sentence why PostgreSQL refuses a connection, and what to do about it.
import { connectionSettings, SessionClient, type DatabaseAddress } from './session.ts'

/** The database cannot be reached or used as it is. The message is one sentence for the operator. */
export class DatabaseRefused extends Error {}

const connectMs = 10_000

interface Way {
  /** The setting that the address comes from. */
  setting?: string
  OneClient?: typeof SessionClient
}

/** Connects, or throws a sentence that says why it could not. */
export async function connectOrTell(
  address: DatabaseAddress,
  applicationName: string,
  { setting = 'DATABASE_URL', OneClient = SessionClient }: Way = {},
): Promise<SessionClient> {
  let client: SessionClient
  try {
    client = new OneClient({
      ...connectionSettings(address),
      application_name: applicationName,
      connectionTimeoutMillis: connectMs,
    })
  } catch (error) {
    // pg reads the files that the URL names (sslrootcert and similar ones) right here
    throw new DatabaseRefused(`${setting} cannot be used: ${reasonOf(error)}. Correct it.`, { cause: error })
  }
  try {
    await client.connect()
    return client
  } catch (error) {
    const isExternal = typeof address === 'string' || 'url' in address
    throw new DatabaseRefused(refusal(error, client, isExternal ? setting : undefined), { cause: error })
  }
}

/** Trying a name's addresses one after the other fails with an AggregateError, whose own message is empty. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

/** Why a connection failed, as the end of a sentence that begins with the host. */
export function briefReason(error: unknown): string {
  switch ((error as { code?: unknown }).code) {
    case 'ECONNREFUSED':
      return 'does not answer'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'is not known here'
    case '28P01':
      return 'says that the user or its password is wrong'
    default:
      return `says "${reasonOf(error)}"`
  }
}

interface Where {
  host: string
  port: number
  user?: string | undefined
  database?: string | undefined
}

/** `setting`: where the address comes from; undefined for the embedded server. */
function refusal(error: unknown, { host, port, user, database }: Where, setting: string | undefined): string {
  const reason = reasonOf(error)
  const { code } = error as { code?: unknown }
  const server = setting === undefined ? 'the embedded PostgreSQL' : `the PostgreSQL of ${setting}`
  const where = `${server} (${host}:${port})`
  const named = setting ?? 'DATABASE_URL'
  const correct = `correct ${named}`
  switch (code) {
    case 'ECONNREFUSED':
      return `Nothing answers at ${host}:${port}, the address of ${setting ?? 'the embedded PostgreSQL'}. Start PostgreSQL there, or ${correct}.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host ${host} of ${where} is not known here. Check the name and the name server, or ${correct}.`
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `There is no way to ${where}: ${reason}. Check the host, the port and the firewall.`
    case '28P01':
      return `The user "${user}" or its password is wrong for ${where}. Correct them in ${named}.`
    case '28000':
      return `The user "${user}" may not come in to ${where}: ${reason}. Check the user and the server's pg_hba.conf.`
    case '3D000':
      return `There is no database "${database}" on ${where}. Create it (createdb ${database}), or ${correct}.`
    case '42501':
      return `The user "${user}" lacks a right on ${where}: ${reason}. Make it the owner of the database "${database}".`
    case '53300':
      return `There is no free connection on ${where}: ${reason}. Raise its max_connections, or stop what uses them.`
    case '57P03':
      return `This PostgreSQL takes no connections yet: ${where} says "${reason}". Start Runyard again when it is up.`
  }
  if (/does not support SSL/.test(reason)) {
    return `There is no TLS on ${where}. Switch it on there, or take sslmode out of ${named}.`
  }
  if (typeof code === 'string' && /CERT|TLS|SSL|SIGNATURE/.test(code)) {
    return `The TLS certificate of ${where} is not trusted: ${reason}. Name its authority with sslrootcert=/path/to/ca.pem in ${named}.`
  }
  if (/timeout/.test(reason)) {
    return `No answer came from ${where} within ${connectMs / 1000} s. Check the host, the port and the firewall.`
  }
  return `There is no connection to ${where}: ${reason}. Check the server, or ${correct}.`
}
