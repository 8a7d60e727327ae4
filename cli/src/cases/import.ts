// runyard cases import: the rows of a file as cases of a queue, each once, however often it is started again.
import { command } from '../command.ts'

export const casesImport = command({
  words: 'cases import',
  needs: 'service',
  says: 'Add the rows of a file to a queue as cases.',
  about:
    'Each row becomes one case, also when the import is interrupted and started again: by its external id, or by its content when it ' +
    'has none. If a row is wrong, nothing is imported, unless --skip-invalid is given. In NDJSON each line is a JSON object, and its ' +
    'fields are the columns.',
  positionals: ['FILE'],
  options: {
    queue: { type: 'string', short: 'q', value: 'QUEUE', isRequired: true, says: 'the id or name of the queue' },
    format: { type: 'string', value: 'csv|ndjson', says: 'how to read the file; unless given, its name decides' },
    title: {
      type: 'string',
      value: 'COLUMN',
      says: 'the title of a case; unless given, the column `title` or the first one',
    },
    'external-id': { type: 'string', value: 'COLUMN', says: 'the external id; `external_id` unless given' },
    data: {
      type: 'string',
      value: 'A,B',
      says: 'the data of a case, as JSON; unless given, the column `data` or all other columns',
    },
    priority: {
      type: 'string',
      value: 'COLUMN',
      says: 'the column with the priority; or none, medium or high for all cases',
    },
    'skip-invalid': { type: 'boolean', says: 'leave out wrong rows and import the others' },
  },
  examples: [
    'runyard cases import invoices.csv --queue Invoices --external-id number',
    "jq -c '.[]' tickets.json | runyard cases import - --format ndjson --queue Tickets --title subject",
  ],
  run: async (call) => (await import('./importFile.ts')).importFile(call),
})
