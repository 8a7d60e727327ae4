// Runs once around a whole test run: starts the shared PostgreSQL before the first file and stops it after the last.
import { startTestServer } from './postgres.ts'

let stop: (() => Promise<void>) | undefined

export async function globalSetup(): Promise<void> {
  ;({ stop } = await startTestServer())
}

export async function globalTeardown(): Promise<void> {
  await stop?.()
}
