// An agent for the benches of runs, made over HTTP as a user makes it.
import { post } from './calls.ts'
import type { Service } from './service.ts'

/** One memory write, then its output: the run of targets.md. */
export const smallProcedure = '```memory path=last.md\nLast: {{ message }}\n```\n\n```output\nkept\n```\n'

export async function makeAgent(
  service: Service,
  procedure: string,
  data: Record<string, unknown> = {},
): Promise<string> {
  const config = { version: 'v2', data: { input: procedure, ...data } }
  const body = await post(service, `/v2/teams/${service.teamId}/agents`, { name: 'Measured', build: { config } })
  return body.agent_id as string
}

export async function startRun(service: Service, agentId: string, message = 'hello'): Promise<string> {
  const body = await post(service, `/v2/teams/${service.teamId}/runs`, { agent_id: agentId, message })
  return body.run_id as string
}
