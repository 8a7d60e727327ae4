// Every declaration of a command gives a whole page of help.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { commands } from './commands.ts'
import { helpFor, helpForAll } from './help.ts'
import { sharedOptions } from './sharedOptions.ts'

proves('cli.help', 'every command has help with two real examples that fits 80 columns', () => {
  for (const command of commands) {
    const text = helpFor(command, sharedOptions)
    const [page = '', examples = ''] = text.split('\nEXAMPLES\n')
    for (const line of page.split('\n')) assert.ok(line.length <= 80, line)
    const starts = examples.split('\n').filter((line) => /^ {2}\$ .*\brunyard\b/.test(line))
    assert.ok(starts.length >= 2, `${command.words} has ${starts.length} examples`)
    assert.ok(
      starts.some((line) => line.includes(`runyard ${command.words}`)),
      starts.join('\n'),
    )
  }
  for (const line of helpForAll(commands, sharedOptions).split('\n')) assert.ok(line.length <= 80, line)
})
