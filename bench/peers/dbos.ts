// DBOS: a workflow of three steps, each step's result in PostgreSQL. It is called as a function, whose promise is kept when the workflow
// has ended; the handle of a started workflow would look for the end once a second.
import { Agent } from 'node:http'
import { compute, fetchRate, loaderOf, readFactsOfPeer, serveRuns, tellReady } from './program.ts'

interface Dbos {
  setConfig(config: object): void
  registerWorkflow<T>(work: () => Promise<T>, options: { name: string }): () => Promise<T>
  runStep<T>(step: () => Promise<T>, options: { name: string }): Promise<T>
  launch(): Promise<void>
  shutdown(): Promise<void>
}

const facts = readFactsOfPeer()
const { DBOS } = loaderOf(facts)('@dbos-inc/dbos-sdk') as { DBOS: Dbos }
const agent = new Agent({ keepAlive: true })

DBOS.setConfig({
  name: 'measured',
  systemDatabaseUrl: facts.databaseUrl,
  systemDatabasePoolSize: facts.connectionsMax,
  logLevel: 'error',
})

const threeSteps = <T>(name: string, step: (n: number) => Promise<T>) =>
  DBOS.registerWorkflow(
    async () => {
      const results: T[] = []
      for (let n = 0; n < 3; n++) results.push(await DBOS.runStep(() => step(n), { name: `step-${n}` }))
      return results
    },
    { name },
  )

const inside = threeSteps('inside', async (n) => compute(n))
const outside = threeSteps('outside', (n) => fetchRate(facts, n, agent))
await DBOS.launch()

// called as what they are, not as methods of some object: DBOS would take that for an instance of a class
tellReady(await serveRuns({ inside: () => inside(), outside: () => outside() }), () => DBOS.shutdown())
