// runyard agents push and diff: the agents in folders to the team, with the plan shown first.
import { readdir } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Runyard } from '../../../sdk/src/index.ts'
import { CommandFailed, exit, Interrupted, type Call } from '../command.ts'
import { keyboardOf } from '../keyboard.ts'
import { harmless } from '../output.ts'
import { readAgent, type AgentFiles } from './agentFile.ts'
import { planFor, type PushOptions, type Step } from './plan.ts'
import { readTeam } from './team.ts'

type Around = Pick<Call, 'out' | 'signal'>

interface Planned {
  agent: string
  steps: Step[]
}

export async function showPlan(
  runyard: Runyard,
  folders: string[],
  { out, signal }: Around,
  options: PushOptions,
): Promise<Planned[]> {
  const team = await readTeam(runyard)
  const planned: Planned[] = []
  const promised = { agents: new Set<string>(), queues: new Set<string>() }
  for (const local of inOrder(await Promise.all((await foldersOf(folders)).map(readAgent)))) {
    signal.throwIfAborted()
    planned.push({ agent: local.name, steps: await planFor(team, local, options, promised) })
  }
  const rows = planned.flatMap(({ agent, steps }) =>
    steps.map(({ sign, says }) => ({ change: sign, agent, what: says })),
  )
  if (out.isJson) for (const row of rows) out.line(JSON.stringify(row))
  else for (const { change, agent, what } of rows) out.line(harmless(`${change} ${agent}: ${what}`))
  if (rows.length === 0) out.note('Nothing differs.')
  return planned.filter(({ steps }) => steps.length > 0)
}

const isAgent = (folder: string): boolean => existsSync(join(folder, 'agent.yaml'))

/** `agents` with all that is in it, unless folders are given. */
async function foldersOf(given: string[]): Promise<string[]> {
  const found: string[] = []
  for (const folder of given.length > 0 ? given : ['agents']) {
    if (isAgent(folder)) found.push(folder)
    else if (existsSync(folder))
      found.push(
        ...(await readdir(folder))
          .toSorted()
          .map((name) => join(folder, name))
          .filter(isAgent),
      )
  }
  if (found.length === 0)
    throw new CommandFailed('There is no folder with an agent.yaml. Make one with: runyard agents pull --all')
  return found
}

/** An agent that another one starts comes before it. */
function inOrder(agents: AgentFiles[]): AgentFiles[] {
  const ordered: AgentFiles[] = []
  const seen = new Set<AgentFiles>()
  const add = (agent: AgentFiles): void => {
    if (seen.has(agent)) return
    seen.add(agent)
    const { subAgents } = agent.config.data
    for (const name of Array.isArray(subAgents) ? subAgents : []) {
      const other = agents.find((one) => one.name === name)
      if (other) add(other)
    }
    ordered.push(agent)
  }
  for (const agent of agents) add(agent)
  return ordered
}

export async function pushAgents(
  runyard: Runyard,
  folders: string[],
  around: Around & Pick<Call, 'stdin'>,
  options: PushOptions & { yes: boolean },
): Promise<number> {
  const { out, signal } = around
  const planned = await showPlan(runyard, folders, around, options)
  if (planned.length === 0) return exit.done
  if (!options.yes) {
    const answer = await answerOf(around)
    if (answer === 'nobody') {
      out.note('Nothing was changed. Carry out the plan with --yes.')
      return exit.differs
    }
    if (answer === 'no') return exit.stopped
  }
  const steps = planned.flatMap((one) => one.steps)
  for (const [done, { carryOut }] of steps.entries()) {
    if (signal.aborted) {
      throw new Interrupted(`Interrupted after ${done} of ${steps.length} changes. Another push carries out the rest.`)
    }
    await carryOut()
  }
  out.note(`${planned.length === 1 ? '1 agent is' : `${planned.length} agents are`} as in the files.`)
  return exit.done
}

/** What a person answers who has seen the plan; `nobody`: there is no person. */
async function answerOf({
  out,
  stdin,
  signal,
}: Pick<Call, 'out' | 'stdin' | 'signal'>): Promise<'yes' | 'no' | 'nobody'> {
  const keyboard = out.isForPeople ? keyboardOf(stdin(), out) : undefined
  if (!keyboard) return 'nobody'
  try {
    const answer = await keyboard.line('Carry this out? [y/N] ', signal)
    return /^y(es)?$/i.test(answer?.trim() ?? '') ? 'yes' : 'no'
  } finally {
    keyboard.close()
  }
}
