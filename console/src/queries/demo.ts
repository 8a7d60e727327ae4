// The demo agent, which the service makes at its first start (server/src/demoAgent.ts), and the latest run of it.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'
import { agentNamesQuery } from './agents.ts'

export const demoName = 'Demo: paper order'

/** `isThere` is undefined until it is known. */
export function useDemoAgent(): { demo: { id: string } | undefined; isThere: boolean | undefined } {
  const { data: agents } = useQuery(agentNamesQuery)
  const demo = agents?.find(({ name }) => name === demoName)
  return { demo, isThere: agents && demo !== undefined }
}

export const demoRunQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['runs', 'demo', agentId],
    queryFn: async ({ signal }) =>
      (await runyard.runs.list({ agent_id: agentId, limit: 1 }, { signal }).page()).data[0] ?? null,
  })
