// runyard cases import: the rows of a file as cases of a queue, each once, however often it is started again.
import { command } from '../command.ts'

export const casesImport = command({
  words: 'cases import',
  needs: 'service',
  says: 'Add the rows of a file to a queue as cases.',
  about:
    'Each row becomes one case, also when the import is interrupted and started again: by its external id, or by its content when it ' +
    'has none. Nothing is imported while a row is wrong, unless --skip-invalid is given. In NDJSON each line is a JSON object, and its ' +
    'fields are the columns.',
  positionals: ['FILE'],
  options: {
    queue: { type: 'string', short: 'q', value: 'QUEUE', says: 'the id or name of the queue; needed' },
    format: { type: 'string', value: 'csv|ndjson', says: 'by the name of the file unless given' },
    title: { type: 'string', value: 'COLUMN', says: '`title` unless given, else the first column' },
    'external-id': { type: 'string', value: 'COLUMN', says: '`external_id` unless given' },
    data: {
      type: 'string',
      value: 'A,B',
      says: 'the columns of the data, as JSON; `data` unless given, else all others',
    },
    priority: { type: 'string', value: 'COLUMN', says: 'a column, or none, medium or high for all' },
    'skip-invalid': { type: 'boolean', says: 'leave out wrong rows and import the others' },
  },
  examples: [
    'runyard cases import invoices.csv --queue Invoices --external-id number',
    "jq -c '.[]' tickets.json | runyard cases import - --format ndjson --queue Tickets --title subject",
  ],
  run: async (call) => (await import('./importFile.ts')).importFile(call),
})
