// The box that a start prints: everything a newcomer needs to make the first request.
import type { Config } from './base/config.ts'
import type { Running } from './serve.ts'

export function box(config: Config, { baseUrl, firstKey, place }: Running): string {
  const data = config.databaseUrl === undefined ? (place ?? config.dataDir) : 'the PostgreSQL of DATABASE_URL'
  const rows: [string, string][] = baseUrl
    ? [
        ['Page', `${baseUrl}/`],
        ['Base URL', baseUrl],
        ['Team id', firstKey.teamId],
        ['API key', firstKey.secret ?? 'its copy is gone; make another: npx runyard key create'],
        ['Data', data],
      ]
    : [
        ['Role', config.role],
        ['Data', data],
      ]
  const lines = rows.map(([label, value]) => `${label.padEnd(9)} ${value}`)
  const title = baseUrl ? 'Runyard is running. Ctrl-C stops it.' : 'A Runyard worker is running. Ctrl-C stops it.'
  const width = Math.max(title.length, ...lines.map((line) => line.length))
  const framed = [title, '', ...lines].map((line) => `│ ${line.padEnd(width)} │`)
  return [`┌${'─'.repeat(width + 2)}┐`, ...framed, `└${'─'.repeat(width + 2)}┘`, ''].join('\n')
}
