// What a start prints: a box with everything a newcomer needs for the first request, and below it one to begin with.
import type { Config } from './base/config.ts'
import type { Running } from './serve.ts'

type Shown = Pick<Running, 'baseUrl' | 'firstKey' | 'place'>

export function box(config: Config, running: Shown): string {
  const { baseUrl, firstKey, place } = running
  const data = config.databaseUrl === undefined ? (place ?? config.dataDir) : 'the PostgreSQL of DATABASE_URL'
  const rows: [string, string | undefined][] = baseUrl
    ? [
        ['Page', `${baseUrl}/`],
        ['Base URL', baseUrl],
        ['Team id', firstKey.teamId],
        ['API key', firstKey.secret ?? 'its copy is gone; make another: npx runyard key create'],
        ['Demo', firstKey.demoAgentId && `agent ${firstKey.demoAgentId}`],
        ['Data', data],
      ]
    : [
        ['Role', config.role],
        ['Data', data],
      ]
  const lines = rows.flatMap(([label, value]) => (value === undefined ? [] : [`${label.padEnd(9)} ${value}`]))
  const title = baseUrl ? 'Runyard is running. Ctrl-C stops it.' : 'A Runyard worker is running. Ctrl-C stops it.'
  const width = Math.max(title.length, ...lines.map((line) => line.length))
  const framed = [title, '', ...lines].map((line) => `│ ${line.padEnd(width)} │`)
  const bottom = `└${'─'.repeat(width + 2)}┘`
  return [`┌${'─'.repeat(width + 2)}┐`, ...framed, bottom, ...firstRun(running), ''].join('\n')
}

/** Below the box, where a terminal lets it be copied as it stands. */
function firstRun({ baseUrl, firstKey: { teamId, secret, demoAgentId } }: Shown): string[] {
  if (baseUrl === undefined || secret === undefined || demoAgentId === undefined) return []
  return [
    'Run the demo agent:',
    '',
    `  curl ${baseUrl}/v2/teams/${teamId}/runs \\`,
    `    -H 'Authorization: Bearer ${secret.replaceAll("'", `'\\''`)}' \\`,
    `    -H 'Content-Type: application/json' -d '{"agent_id": "${demoAgentId}"}'`,
    '',
  ]
}
