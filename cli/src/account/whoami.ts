// runyard whoami: which service, which team and which member this machine would use.
import { command } from '../command.ts'

export const whoami = command({
  words: 'whoami',
  needs: 'service',
  endsWithReader: true,
  says: 'Show which service and which team the commands use, and as whom.',
  examples: ['runyard whoami', 'runyard whoami --json | jq -r .team_id'],
  async run({ out, target, service }) {
    const { baseUrl, from } = await target()
    const runyard = await service()
    const teamId = await runyard.teamId()
    const [{ profile }, { team }] = await Promise.all([runyard.teams.profile(), runyard.teams.get()])
    const found = { url: baseUrl, from, team_id: teamId, team: team.name, profile }
    out.record(found, () => [
      `Service  ${baseUrl}`,
      `Team     ${team.name} (${teamId})`,
      `Member   ${profile.name} (${profile.role})`,
      `From     ${from}`,
    ])
  },
})
