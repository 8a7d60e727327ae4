// Words that the list is searched by, by the service, while one types.
import { useRef } from 'react'
import { useKeys } from '../../app/keys.ts'
import { Icon } from '../../look/Icon.tsx'
import { useTypedWords } from '../../parts/useTypedWords.ts'
import style from './SearchField.module.css'

export function SearchField({ value, onChange }: { value: string; onChange: (words: string) => void }) {
  const field = useRef<HTMLInputElement>(null)
  const { text, setText } = useTypedWords(value, onChange)
  useKeys([{ keys: '/', says: 'Search agents', where: 'Agents', run: () => field.current?.focus() }])
  return (
    <div className={style.field}>
      <Icon name="search" size={14} />
      <input
        ref={field}
        type="search"
        aria-label="Search agents"
        placeholder="Name or description"
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
