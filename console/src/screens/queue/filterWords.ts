// A filter of the cases in words, for its chip and for the question before something is done to all that fit.
import { labelWords, caseStatusWords, priorityWords } from '../../parts/case/words.ts'
import { timeWords } from '../../parts/filters/times.ts'
import { labelsOf, prioritiesOf, statusesOf, type FilterName, type QueueSearch } from './search.ts'

export const filterNamesInWords: Record<FilterName, string> = {
  status: 'Status',
  priority: 'Priority',
  labels: 'Labels',
  created: 'Made since',
  updated: 'Changed since',
  search: 'Words',
}

interface Words {
  label: string
  value: string
}

type Write = (search: QueueSearch, zone: string) => Words

const write: Record<FilterName, Write> = {
  status: (search) => ({
    label: 'Status is',
    value: joined(statusesOf(search).map((one) => caseStatusWords[one])) || 'any',
  }),
  priority: (search) => ({
    label: 'Priority is',
    value: joined(prioritiesOf(search).map((one) => priorityWords[one])) || '…',
  }),
  labels: (search) => ({ label: 'Labels', value: joined(labelsOf(search).map(labelWords)) || '…' }),
  created: ({ created }, zone) => since('Made', created, zone),
  updated: ({ updated }, zone) => since('Changed', updated, zone),
  search: ({ search }) => ({ label: 'Words', value: search ?? '…' }),
}

export const filterWords = (name: FilterName, search: QueueSearch, zone: string): Words => write[name](search, zone)

const joined = (words: string[]): string => words.join(', ')

function since(verb: string, at: string | undefined, zone: string): Words {
  const value = at === undefined ? '…' : timeWords(at, zone)
  return { label: value === 'today' ? verb : value.startsWith('the ') ? `${verb} in` : `${verb} since`, value }
}
