// Makes a team and a key for it with the command line, as an operator does.
import { fileURLToPath } from 'node:url'
import { startProgram } from './processes.ts'

export interface Team {
  teamId: string
  key: string
}

const cli = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))

export async function createTeam(env: Record<string, string>, name: string): Promise<Team> {
  const team = await command(env, ['team', 'create', name], 'Its first key')
  const teamId = /Team +(\S+)/.exec(team)![1]!
  const made = await command(env, ['key', 'create', '--team', teamId], 'not shown again')
  return { teamId, key: /Secret +(\S+)/.exec(made)![1]! }
}

/** Resolves to what the command printed; `lastWords` is the end of it. */
async function command(env: Record<string, string>, args: string[], lastWords: string): Promise<string> {
  const program = await startProgram({ entry: cli, args, env, readySign: lastWords })
  await program.exited
  return program.box
}
