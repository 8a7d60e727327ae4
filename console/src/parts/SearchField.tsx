// Words that a list is searched by while one types.
import { useRef } from 'react'
import { useKeys } from '../app/keys.ts'
import { Icon } from '../look/Icon.tsx'
import { useTypedWords } from './useTypedWords.ts'
import style from './SearchField.module.css'

interface SearchFieldProps {
  /** What is searched, in the plural: `agents`. */
  what: string
  /** The heading under which the list of keys has it: `Agents`. */
  where: string
  /** What the words are looked for in. */
  hint: string
  value: string
  onChange: (words: string) => void
}

export function SearchField({ what, where, hint, value, onChange }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const { text, setText } = useTypedWords(value, onChange)
  useKeys([{ keys: '/', says: `Search ${what}`, where, run: () => field.current?.focus() }])
  return (
    <div className={style.field}>
      <Icon name="search" size={14} />
      <input
        ref={field}
        type="search"
        aria-label={`Search ${what}`}
        placeholder={hint}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') field.current?.blur()
        }}
      />
      <kbd aria-hidden>/</kbd>
    </div>
  )
}
