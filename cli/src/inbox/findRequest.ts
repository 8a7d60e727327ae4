// The pending request that somebody names by its id, whole.
import type { HumanRequest, PendingRequest, Runyard } from '../../../sdk/src/index.ts'
import { CommandFailed } from '../command.ts'

/** A list cuts long texts. What a person or a program agrees to is read whole. */
export async function wholeRequest(runyard: Runyard, request: HumanRequest): Promise<HumanRequest> {
  if (!request.truncated) return request
  const { pending_human_request: whole } = await runyard.runs.get(request.run_id)
  return whole?.id === request.id ? whole : request
}

export async function pendingRequest(runyard: Runyard, id: string): Promise<PendingRequest> {
  for await (const request of runyard.humanRequests.list({ status: 'pending' }))
    if (request.id === id) return runyard.humanRequests.of(await wholeRequest(runyard, request))
  throw new CommandFailed(`No request with the id ${id} is pending. List those that are: runyard inbox`)
}
