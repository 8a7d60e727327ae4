// The filters of the address as the API takes them. Words such as "today" are moments of when the filters were last changed.
import { useState } from 'react'
import { caseChoice, type CaseChoice } from './apiFilter.ts'
import { filterNames, type QueueSearch } from './search.ts'

const made = (key: string, search: QueueSearch, zone: string) => ({ key, choice: caseChoice(search, Date.now(), zone) })

export function useChoice(search: QueueSearch, zone: string): CaseChoice {
  const key = JSON.stringify([zone, ...filterNames.map((name) => search[name])])
  const [kept, setKept] = useState(() => made(key, search, zone))
  if (kept.key === key) return kept.choice
  const next = made(key, search, zone)
  setKept(next)
  return next.choice
}
