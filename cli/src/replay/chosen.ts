// The set and the build that somebody names for a replay.
import type { ReplaySet, Runyard } from '../../../sdk/src/index.ts'
import { CommandFailed } from '../command.ts'
import { oneNamed } from '../named.ts'

/** An agent as a list of them has it. */
interface ListedAgent {
  id: string
  name: string
  latest_build: { id: string }
}

/** Finds a set by its name or id; the only one of the agent unless given. */
export async function setOf(runyard: Runyard, agent: ListedAgent, named: string | undefined): Promise<ReplaySet> {
  const sets: ReplaySet[] = []
  for await (const set of runyard.replays.listSets(agent.id, { limit: 100 })) sets.push(set)
  if (named !== undefined) return oneNamed(sets, named, 'replay set')
  const [only] = sets
  if (!only) {
    throw new CommandFailed(
      `"${agent.name}" has no replay set. Make one with: runyard replay record '${agent.name}' --last 50`,
    )
  }
  if (sets.length > 1) {
    throw new CommandFailed(
      `"${agent.name}" has several replay sets. Give --set with one: ${sets.map(({ name }) => name).join(', ')}.`,
    )
  }
  return only
}

/** Finds a build by its number or id; the newest unless given. */
export async function buildOf(runyard: Runyard, agent: ListedAgent, wanted: string | undefined): Promise<string> {
  if (wanted === undefined) return agent.latest_build.id
  if (!/^\d{1,9}$/.test(wanted)) return wanted
  for await (const build of runyard.agents.listRevisions(agent.id, { limit: 100 })) {
    if (build.revision_number === Number(wanted)) return build.id
  }
  throw new CommandFailed(`The agent has no build ${wanted}.`)
}
