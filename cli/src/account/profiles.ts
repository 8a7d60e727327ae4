// runyard profiles and runyard logout: the services that somebody is signed in to. Keys are never shown.
import { command, CommandFailed } from '../command.ts'
import { readProfiles, writeProfiles, type Profiles } from '../profiles.ts'

export const profilesList = command({
  words: 'profiles',
  needs: 'nothing',
  endsWithReader: true,
  says: 'List the services that you are signed in to.',
  examples: ['runyard profiles', "runyard profiles --json | jq -r 'select(.current) | .url'"],
  async run({ env, out }) {
    const { current, profiles } = await readProfiles(env)
    await out.rows(
      [
        { title: 'name', of: ({ name }) => name },
        { title: 'url', of: ({ url }) => url, mayCut: true },
        { title: 'team', of: ({ team_id }) => team_id },
        { title: 'current', of: (row) => (row.current ? 'yes' : '') },
      ],
      [...profiles].map(([name, { url, team_id }]) => ({ name, url, team_id, current: name === current })),
    )
    if (profiles.size === 0 && out.isForPeople) out.note('There are no profiles. Run: runyard login')
  },
})

export const profilesUse = command({
  words: 'profiles use',
  positionals: ['NAME'],
  needs: 'nothing',
  says: 'Make a profile the current one.',
  examples: ['runyard profiles use work', 'runyard profiles use 127.0.0.1:4700'],
  async run({ positionals: [name = ''], env, out }) {
    const { profiles } = await readProfiles(env)
    requireProfile(profiles, name)
    await writeProfiles(env, { current: name, profiles })
    out.note(`The current profile is ${name}.`)
  },
})

export const logout = command({
  words: 'logout',
  positionals: ['[NAME]'],
  needs: 'nothing',
  says: 'Remove a profile: the given one, or the current one. Its key stays valid.',
  examples: ['runyard logout', 'runyard logout work'],
  async run({ positionals, env, out }) {
    const { current, profiles } = await readProfiles(env)
    const name = positionals[0] ?? current
    if (name === null) throw new CommandFailed('You are not signed in: there is no current profile.')
    requireProfile(profiles, name)
    profiles.delete(name)
    await writeProfiles(env, { current: current === name ? null : current, profiles })
    out.note(`The profile ${name} is forgotten. Its key stays valid until it is revoked: runyard key revoke`)
  },
})

function requireProfile(profiles: Profiles['profiles'], name: string): void {
  if (profiles.has(name)) return
  const known = [...profiles.keys()].join(', ')
  throw new CommandFailed(`There is no profile "${name}". ${known ? `There are ${known}.` : 'Run: runyard login'}`)
}
