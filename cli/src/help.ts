// The help of the command line, from the declarations of its commands.
import type { Command, Options } from './command.ts'

const columns = 80

const flagText = (name: string, { short, value }: Options[string]): string =>
  `${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` ${value}`}`

export function usageOf({ words, positionals, options, narrowed }: Command): string {
  const flags = Object.entries(options).map(([name, { value, isRequired }]) => {
    const flag = `--${name}${value === undefined ? '' : ` ${value}`}`
    return isRequired ? flag : `[${flag}]`
  })
  return [words, ...positionals, ...flags, ...(narrowed ? ['[--FIELD VALUE]…'] : [])].join(' ')
}

export function helpForAll(commands: Command[], shared: Options): string {
  const width = Math.max(...commands.map(({ words }) => words.length)) + 4
  const listed = (of: Command[]): string[] => of.flatMap(({ words, says }) => hanging(`  ${words}`.padEnd(width), says))
  const onMachine = commands.filter(({ needs }) => needs === 'database')
  return [
    'runyard: run AI agents, follow them and answer them from the command line.',
    '',
    'Without a command, it starts the service. `runyard help COMMAND` shows more.',
    '',
    'Commands that talk to a service:',
    ...listed(commands.filter(({ needs }) => needs !== 'database')),
    '',
    'Commands on the machine of the service (they use its data dir and database):',
    ...listed(onMachine),
    '',
    'Options of every command:',
    ...optionLines(shared),
    '',
    'Data goes to stdout, everything else to stderr. Exit codes: 0 done, 1 failed,',
    '2 changes found, 3 stopped, 4 not signed in, 5 a person is needed, 6 refused,',
    '7 the run could no longer be followed, 64 wrong usage, 124 time-out,',
    '130 interrupted.',
  ].join('\n')
}

export function helpFor(command: Command, shared: Options): string {
  const { says, about, examples, options, needs } = command
  return [
    'NAME',
    ...hanging(`  runyard ${command.words} - `, says, 4),
    '',
    'USAGE',
    ...hanging('  runyard ', usageOf(command), 6),
    ...(about ? ['', 'DESCRIPTION', ...hanging('  ', about)] : []),
    ...(Object.keys(options).length > 0 ? ['', 'OPTIONS', ...optionLines(options)] : []),
    ...(needs === 'service' ? ['', 'OPTIONS OF EVERY COMMAND', ...optionLines(shared)] : []),
    ...(needs === 'database'
      ? [
          '',
          'SETTINGS',
          ...hanging(
            '  ',
            'The same environment variables as for the service (docs/configuration.md), so that it uses the same data dir and database.',
          ),
        ]
      : []),
    '',
    'EXAMPLES',
    ...examples.map((line) => `  $ ${line}`),
  ].join('\n')
}

function optionLines(options: Options): string[] {
  const rows = Object.entries(options).map(([name, option]) => ({
    flag: flagText(name, option),
    says: `${option.isRequired ? '(required) ' : ''}${option.says}`.trim(),
  }))
  const width = Math.min(30, Math.max(...rows.map(({ flag }) => flag.length)) + 4)
  return rows.flatMap(({ flag, says }) => hanging(`  ${flag}`.padEnd(width), says, width))
}

/** A text of several lines whose later ones begin below the first word. */
function hanging(first: string, text: string, indent = first.length): string[] {
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const word of text.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = ' '.repeat(indent)
      isEmpty = true
    }
    line += isEmpty ? (/^$| $/.test(line) ? word : ` ${word}`) : ` ${word}`
    isEmpty = false
  }
  return [...lines, line]
}

/** A sentence for a person: long lines break between words. */
export const wrapped = (text: string): string =>
  text
    .split('\n')
    .flatMap((line) => (line.length > columns ? hanging('', line) : [line]))
    .join('\n')
