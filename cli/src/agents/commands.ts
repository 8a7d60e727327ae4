// runyard agents: agents as files in git, from a team and to a team.
import { join } from 'node:path'
import { command, CommandFailed, exit, UsageError } from '../command.ts'
import { oneNamed } from '../named.ts'
import { ageOf } from '../times.ts'

export const agentsList = command({
  words: 'agents',
  needs: 'service',
  endsWithReader: true,
  says: 'List agents.',
  examples: ['runyard agents', 'runyard agents --json | jq -r .name'],
  async run({ out, service }) {
    const runyard = await service()
    await out.rows(
      [
        { title: 'id', of: ({ id }) => id },
        { title: 'name', of: ({ name }) => name, mayCut: true },
        { title: 'build', of: ({ latest_build }) => latest_build.revision_number, isNumber: true },
        { title: 'runs', of: ({ runs_count }) => runs_count, isNumber: true },
        { title: 'age', of: ({ created_at }) => ageOf(created_at), isNumber: true },
      ],
      runyard.agents.list({ limit: 100 }),
      'There are no agents yet. Make one from files with: runyard agents push',
    )
  },
})

export const agentsPull = command({
  words: 'agents pull',
  needs: 'service',
  says: 'Write agents to folders: procedure.md and agent.yaml.',
  about:
    'The same agent always gives the same bytes, so that git shows what changed. Connections, queues and other agents are written by name, so that the files also fit another team.',
  positionals: ['[AGENT…]'],
  options: {
    all: { type: 'boolean', says: 'every agent of the team' },
    to: { type: 'string', value: 'FOLDER', says: 'where the folders go; `agents` unless given' },
    memory: { type: 'boolean', says: 'with the memory files of the agents' },
  },
  examples: ['runyard agents pull --all', "runyard agents pull 'Invoice checker' --to ./ops --memory"],
  async run({ positionals, values, out, signal, service }) {
    if ((positionals.length === 0) !== Boolean(values.all)) throw new UsageError('Name the agents, or give --all.')
    const [{ folderNames, writeAgent }, { readTeam, remoteAgent }] = await Promise.all([
      import('./agentFile.ts'),
      import('./team.ts'),
    ])
    const team = await readTeam(await service())
    const all = team.agents.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const names = folderNames(all.map(({ name }) => name))
    const chosen = values.all ? all : await Promise.all(positionals.map((one) => oneNamed(all, one, 'agent')))
    for (const agent of chosen) {
      signal.throwIfAborted()
      const folder = join(values.to ?? 'agents', names[all.indexOf(agent)] ?? agent.id)
      await writeAgent(folder, await remoteAgent(team, agent, values.memory ?? false))
      out.line(out.isJson ? JSON.stringify({ agent_id: agent.id, folder }) : folder)
    }
  },
})

export const agentsPush = command({
  words: 'agents push',
  needs: 'service',
  says: 'Change the agents of the team to match the files, after showing what would change.',
  about:
    'A changed procedure becomes a draft; --promote makes it live. Triggers are made, changed and deleted as the files say; a file never holds a secret, so a webhook that needs one is paused until you give it. In a pipe nothing is changed without --yes, and the exit code is 2 when something would change.',
  positionals: ['[FOLDER…]'],
  options: {
    yes: { type: 'boolean', short: 'y', says: 'carry out the plan without a question' },
    promote: { type: 'boolean', says: 'make new builds live' },
    message: { type: 'string', short: 'm', value: 'TEXT', says: 'what changed, for the promoted build' },
  },
  examples: [
    'runyard agents push',
    "runyard agents push agents/invoice-checker --yes --promote -m 'Asks for the order number'",
  ],
  async run({ positionals, values, out, signal, stdin, service }) {
    const { pushAgents } = await import('./push.ts')
    const { yes = false, promote = false, message } = values
    const options = { yes, promote, ...(message !== undefined && { message }) }
    return pushAgents(await service(), positionals, { out, signal, stdin }, options)
  },
})

export const agentsDiff = command({
  words: 'agents diff',
  needs: 'service',
  says: 'Show what a push would change. The exit code is 2 when it would change something.',
  positionals: ['[FOLDER…]'],
  examples: ['runyard agents diff', 'runyard agents diff agents/invoice-checker --json'],
  async run({ positionals, out, signal, service }) {
    const { showPlan } = await import('./push.ts')
    const planned = await showPlan(await service(), positionals, { out, signal }, { promote: false })
    return planned.length > 0 ? exit.differs : exit.done
  },
})

export const agentsPromote = command({
  words: 'agents promote',
  needs: 'service',
  says: 'Make a build of an agent live: the newest, or the given one.',
  positionals: ['AGENT', '[BUILD]'],
  options: { message: { type: 'string', short: 'm', value: 'TEXT', says: 'what changed' } },
  examples: ["runyard agents promote 'Invoice checker'", "runyard agents promote 'Invoice checker' 3"],
  async run({ positionals, values, out, service }) {
    const [given = '', wanted] = positionals
    const runyard = await service()
    const agent = await oneNamed(runyard.agents.list({ limit: 100 }), given, 'agent')
    let buildId = wanted ?? agent.latest_build.id
    if (wanted !== undefined && /^\d{1,9}$/.test(wanted)) {
      buildId = ''
      for await (const build of runyard.agents.listRevisions(agent.id, { limit: 100 })) {
        if (build.revision_number === Number(wanted)) buildId = build.id
      }
      if (buildId === '') throw new CommandFailed(`The agent has no build ${wanted}.`)
    }
    const { message } = values
    const { build } = await runyard.agents.promoteRevision(
      buildId,
      message === undefined ? {} : { revision_description: message },
    )
    out.record(build, ({ revision_number }) => [`Build ${revision_number} is live.`])
  },
})
