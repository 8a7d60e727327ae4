// How far a newcomer has come: a run, an answer, a key, an assistant connected over MCP.
import { queryOptions } from '@tanstack/react-query'
import { runyard } from '../app/client.ts'

export interface FirstSteps {
  hasRun: boolean
  hasAnswered: boolean
  hasKey: boolean
  hasMcp: boolean
}

/** The first key is made by the service itself. */
const keysOfService = 1

/** Keys are for admins: for others the steps that need them are not asked for. */
export const firstStepsQuery = (mayManageKeys: boolean) =>
  queryOptions({
    queryKey: ['overview', 'firstSteps', mayManageKeys],
    queryFn: async ({ signal }): Promise<FirstSteps> => {
      const options = { signal }
      const [runs, answers, mcpRuns, keys, clients] = await Promise.all([
        runyard.runs.list({ count_only: true }, options).page(),
        runyard.humanRequests.list({ status: 'responded', limit: 1 }, options).page(),
        runyard.runs.list({ source: 'mcp', count_only: true }, options).page(),
        mayManageKeys ? runyard.apiKeys.list({ limit: 1 }, options).page() : undefined,
        mayManageKeys ? runyard.oauthClients.list({ limit: 1 }, options).page() : undefined,
      ])
      return {
        hasRun: runs.total > 0,
        hasAnswered: answers.total > 0,
        hasKey: (keys?.total ?? 0) > keysOfService,
        hasMcp: mcpRuns.total > 0 || (clients?.total ?? 0) > 0,
      }
    },
  })
