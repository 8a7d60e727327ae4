// A transaction on a connection of its own, which the test commits when it wants.
import { after } from 'node:test'
import { Client } from 'pg'
import { connectionSettings, sqlOn, type DatabaseAddress, type Sql } from '../../src/base/db.ts'

export async function begin(address: DatabaseAddress): Promise<{ its: Sql; commit: () => Promise<void> }> {
  const client = new Client(connectionSettings(address))
  await client.connect()
  let isOpen = true
  const end = async () => {
    isOpen = false
    await client.end()
  }
  // a test that fails in between leaves none open
  after(() => (isOpen ? end() : undefined))
  await client.query('begin')
  return {
    its: sqlOn(client),
    async commit() {
      await client.query('commit')
      await end()
    },
  }
}
