// Mastra: a workflow of three steps whose snapshots are in PostgreSQL; its start is waited for until the workflow has ended.
import { Agent } from 'node:http'
import { compute, fetchRate, loaderOf, readFactsOfPeer, serveRuns, tellReady } from './program.ts'

interface Step {
  id: string
}

interface Workflow {
  then(step: Step): Workflow
  commit(): Workflow
  createRun(): Promise<{ start(given: { inputData: object }): Promise<{ status: string; steps: unknown }> }>
}

interface Workflows {
  createStep(options: object): Step
  createWorkflow(options: object): Workflow
}

const facts = readFactsOfPeer()
const load = loaderOf(facts)
const mastraWorkflows = load('@mastra/core/workflows') as Workflows
const { Mastra } = load('@mastra/core') as { Mastra: new (options: object) => { getWorkflow(name: string): Workflow } }
const { PostgresStore } = load('@mastra/pg') as { PostgresStore: new (options: object) => { init(): Promise<void> } }
const { z } = load('zod') as { z: { any(): object } }
const agent = new Agent({ keepAlive: true })

function threeSteps(id: string, step: (n: number) => Promise<unknown>): Workflow {
  const schemas = { inputSchema: z.any(), outputSchema: z.any() }
  const made = (n: number) => mastraWorkflows.createStep({ id: `${id}-${n}`, ...schemas, execute: () => step(n) })
  const workflow = mastraWorkflows.createWorkflow({ id, ...schemas })
  return workflow.then(made(0)).then(made(1)).then(made(2)).commit()
}

const storage = new PostgresStore({ id: 'measured', connectionString: facts.databaseUrl, max: facts.connectionsMax })
await storage.init()
const workflows = {
  inside: threeSteps('inside', async (n) => compute(n)),
  outside: threeSteps('outside', (n) => fetchRate(facts, n, agent)),
}
const mastra = new Mastra({ workflows, storage, logger: false })

async function run(name: keyof typeof workflows): Promise<unknown> {
  const started = await mastra.getWorkflow(name).createRun()
  const { status } = await started.start({ inputData: { message: 'hello' } })
  if (status !== 'success') throw new Error(`the workflow ended as ${status}`)
  return status
}

tellReady(await serveRuns({ inside: () => run('inside'), outside: () => run('outside') }))
