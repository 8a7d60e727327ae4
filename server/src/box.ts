// What a start prints: a box with everything a newcomer needs, and below it a first run to try.
import { resolve } from 'node:path'
import type { Config } from './base/config.ts'
import { firstKeyFile } from './firstStart.ts'
import type { Running } from './serve.ts'

type Shown = Pick<Running, 'baseUrl' | 'firstKey' | 'place'>

/** Only the start that made the key shows it, and only to a terminal: other outputs are usually stored as a log. */
export function box(
  config: Config,
  running: Shown,
  { isTerminal, signInUrl }: { isTerminal: boolean; signInUrl?: string | undefined },
): string {
  const { baseUrl, firstKey, place } = running
  const data = config.databaseUrl === undefined ? (place ?? config.dataDir) : 'the PostgreSQL of DATABASE_URL'
  const rows: [string, string | undefined][] = baseUrl
    ? [
        ['Page', signInUrl ?? `${baseUrl}/`],
        ['Base URL', baseUrl],
        ['Team id', firstKey.teamId],
        ['API key', keyWords(config, firstKey, isTerminal)],
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
  return [`┌${'─'.repeat(width + 2)}┐`, ...framed, bottom, ...firstRun(config, running), ''].join('\n')
}

function keyWords(config: Config, { secret, isNew }: Running['firstKey'], isTerminal: boolean): string {
  if (secret === undefined) return 'its copy is gone; make another: npx runyard key create'
  if (config.apiKey !== undefined) return 'as RUNYARD_API_KEY says'
  return isNew && isTerminal ? secret : `in ${firstKeyFile(config)}`
}

/** Printed below the box, so that it can be copied from a terminal. */
function firstRun(config: Config, { baseUrl, firstKey: { teamId, secret, demoAgentId } }: Shown): string[] {
  if (baseUrl === undefined || secret === undefined || demoAgentId === undefined) return []
  const key = config.apiKey === undefined ? `$(cat ${quoted(firstKeyFile(config))})` : '$RUNYARD_API_KEY'
  return [
    'Open the page, or run the demo agent here and answer what it asks:',
    '',
    `  ${commandLine(config)} run ${demoAgentId} --wait`,
    '',
    'The same run with curl:',
    '',
    `  curl ${baseUrl}/v2/teams/${teamId}/runs \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"agent_id": "${demoAgentId}"}'`,
    '',
  ]
}

/** The command line finds the service by its data dir, which in the same folder needs no name. */
function commandLine({ dataDir }: Config): string {
  const isUsual = dataDir === resolve('.runyard')
  return isUsual ? 'npx runyard' : `RUNYARD_DATA_DIR=${quoted(dataDir)} npx runyard`
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
