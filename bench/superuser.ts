// What the runtime role may not do on the embedded server: settings and statistics.
import { Client } from 'pg'
import type { Service } from './service.ts'

export async function asSuperuser<T>(
  service: Pick<Service, 'superuserUrl'>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: service.superuserUrl })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Takes effect when the server starts next. */
export async function setFromNextStart(service: Service, setting: string, value: string): Promise<void> {
  await asSuperuser(service, (client) => client.query(`alter system set ${setting} = '${value}'`))
}
