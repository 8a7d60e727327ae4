// runyard login: checks a key against its service and keeps it in a profile that only its owner can read.
import { command, CommandFailed, UsageError, type Call } from '../command.ts'
import { NotSignedIn } from '../connect.ts'
import { readProfiles, writeProfiles } from '../profiles.ts'

const usualUrl = 'http://127.0.0.1:4700'

export const login = command({
  words: 'login',
  needs: 'nothing',
  says: 'Sign in to a service with an API key, and keep it in a profile.',
  about:
    'Type the key, which is not shown, or give it on stdin. The profile becomes the current one. Its file has the mode 600.',
  options: {
    url: { type: 'string', value: 'URL', says: `the service; ${usualUrl} unless given` },
    name: { type: 'string', value: 'PROFILE', says: 'what to call the profile; the host of the URL unless given' },
  },
  examples: [
    'runyard login --url https://runyard.example.com',
    'runyard login --url https://runyard.example.com --name work < key.txt',
  ],
  async run(call) {
    const { values, env, out } = call
    const { origin, host, pathname, protocol, hostname } = urlOf(values.url ?? (env['RUNYARD_URL'] || usualUrl))
    const url = origin + pathname.replace(/\/+$/, '')
    const name = nameOf(values.name ?? host)
    if (protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname))
      out.note(`${url} is not encrypted: others on the network can read the key. Prefer https.`)
    const api_key = (await keyOf(call, url))?.trim()
    if (!api_key)
      throw new NotSignedIn('No key was given. Make one with: runyard key create, on the machine of the service.')
    const { Runyard } = await import('../../../sdk/src/index.ts')
    const { profile } = await new Runyard({ baseUrl: url, apiKey: api_key }).teams.profile({ signal: call.signal })
    const { profiles } = await readProfiles(env)
    profiles.set(name, { url, api_key, team_id: profile.team_id })
    await writeProfiles(env, { current: name, profiles })
    out.record({ profile: name, url, team_id: profile.team_id, member: profile.name }, () => [
      `Signed in to ${url} as ${profile.name} (${profile.role}), profile ${name}.`,
    ])
  },
})

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new UsageError('--url must be an http or https URL, such as https://runyard.example.com.')
  return url
}

function nameOf(text: string): string {
  if (/^[\w.:@[\]-]{1,100}$/.test(text) && text !== '__proto__') return text
  throw new UsageError('--name takes letters, digits and . : @ _ - only.')
}

async function keyOf({ stdin, out, signal }: Call, url: string): Promise<string | undefined> {
  const { keyboardOf, textOf } = await import('../keyboard.ts')
  const input = stdin()
  if (!input.isTTY) return textOf(input)
  const keyboard = keyboardOf(input, out)
  if (!keyboard) throw new CommandFailed('There is no terminal to type the key in. Give it on stdin.')
  try {
    return await keyboard.line(`API key for ${url}: `, signal, { isHidden: true })
  } finally {
    keyboard.close()
  }
}
