// The text of a field that a person fills in, kept while it is not sent.
import { useState } from 'react'
import { useSession } from '../app/session.tsx'
import { forget, keep, readKept } from './keptText.ts'

/** `what` names the field: `message.` and the id of the run. An empty text is forgotten. */
export function useKeptText(what: string): [string, (text: string) => void] {
  const { profile } = useSession()
  const [text, setText] = useState(() => readKept(profile.id, what) ?? '')
  return [
    text,
    (next) => {
      setText(next)
      if (next === '') forget(profile.id, what)
      else keep(profile.id, what, next)
    },
  ]
}
