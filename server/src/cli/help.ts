// The help of the command line, from the declarations of its commands.
import type { Command } from './command.ts'

export function usageOf({ words, positionals, options }: Command): string {
  const flags = Object.entries(options).map(
    ([name, { value }]) => `[--${name}${value === undefined ? '' : ` ${value}`}]`,
  )
  return [words, ...positionals, ...flags].join(' ')
}

export function helpForAll(commands: Command[]): string {
  const rows = commands.map((command) => ({ usage: usageOf(command), says: command.says }))
  return [
    'runyard: the command line of a Runyard server.',
    '',
    ...rows.flatMap(({ usage, says }) => [`  runyard ${usage}`, `      ${says}`]),
    '  runyard help [COMMAND]',
    '      Show the options of a command.',
    '',
    'Set the same environment variables as for the service (docs/configuration.md), so that the commands use the same data dir',
    'and the same database.',
  ].join('\n')
}

export function helpFor(command: Command): string {
  const options = Object.entries(command.options).map(([name, { value, says }]) => ({
    flag: `--${name}${value === undefined ? '' : ` ${value}`}`,
    says,
  }))
  const width = Math.max(0, ...options.map(({ flag }) => flag.length))
  return [
    `runyard ${usageOf(command)}`,
    command.says,
    ...options.map(({ flag, says }) => `  ${flag.padEnd(width)}  ${says}`),
  ].join('\n')
}
