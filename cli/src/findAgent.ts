// The agent that somebody names: by its id, or by its name if no other agent has it.
import type { Agent, Runyard } from '../../sdk/src/index.ts'
import { CommandFailed } from './command.ts'

const isId = (text: string): boolean => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)

export async function agentIdOf(runyard: Runyard, named: string): Promise<string> {
  if (isId(named)) return named
  const agents: Agent[] = []
  for await (const agent of runyard.agents.list({ limit: 100 })) agents.push(agent)
  const found = [
    agents.filter(({ name }) => name === named),
    agents.filter(({ name }) => name.toLowerCase() === named.toLowerCase()),
  ].find((some) => some.length > 0)
  if (!found) throw new CommandFailed(`There is no agent "${named}". ${knownNames(agents)}`)
  const [agent] = found
  if (!agent || found.length > 1) {
    throw new CommandFailed(
      `${found.length} agents are called "${named}". Give the id of one: ${found.map(({ id }) => id).join(', ')}.`,
    )
  }
  return agent.id
}

const shownNames = 10

function knownNames(agents: Agent[]): string {
  if (agents.length === 0) return 'The team has no agents yet.'
  const names = agents.slice(0, shownNames).map(({ name }) => `"${name}"`)
  const more = agents.length > shownNames ? ` and ${agents.length - shownNames} more` : ''
  return `There are ${names.join(', ')}${more}.`
}
