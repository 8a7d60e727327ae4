// runyard open: a new link that signs in to the console, opened where there is a desktop.
import { command, type Call } from '../command.ts'

export const open = command({
  words: 'open',
  needs: 'service',
  says: 'Make a link that signs in to the console, and open it.',
  about: 'The link works once, for ten minutes. Without a desktop it is only printed.',
  options: { print: { type: 'boolean', says: 'only print the link' } },
  examples: ['runyard open', 'runyard open --print | pbcopy'],
  async run(call) {
    const { out, service, signal, values, env } = call
    const runyard = await service()
    const { url, expires_at } = await runyard.sessions.createLink({}, { signal })
    out.record({ url, expires_at }, () => [url])
    const opener = values.print ? undefined : openerOf(env)
    if (opener) await openWith(opener, url, out)
  },
})

/** The program that opens a URL on this desktop; undefined where there is none. */
function openerOf(env: NodeJS.ProcessEnv): string[] | undefined {
  if (process.platform === 'darwin') return ['open']
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined
}

async function openWith([program = '', ...args]: string[], url: string, out: Call['out']): Promise<void> {
  const { spawn } = await import('node:child_process')
  const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' })
  await new Promise<void>((resolve) => {
    child.once('spawn', resolve)
    child.once('error', () => {
      out.note(`${program} is not there, so open the link yourself.`)
      resolve()
    })
  })
  child.unref()
}
