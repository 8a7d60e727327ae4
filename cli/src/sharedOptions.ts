// The options that every command takes.
import type { Options } from './command.ts'

export const sharedOptions = {
  url: { type: 'string', value: 'URL', says: 'the service; otherwise RUNYARD_URL, the profile, or the local data dir' },
  team: { type: 'string', value: 'ID', says: 'the team; otherwise RUNYARD_TEAM, or the team of the key' },
  profile: { type: 'string', value: 'NAME', says: 'a profile of `runyard login`' },
  json: { type: 'boolean', says: 'print JSON; for lists and streams, one value on each line' },
  csv: { type: 'boolean', says: 'print tables as CSV' },
  help: { type: 'boolean', short: 'h', says: 'show the help of the command' },
} as const satisfies Options
