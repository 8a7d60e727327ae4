// The field for words: what is typed narrows the list a moment later.
import { useRef } from 'react'
import { useKeys } from '../../app/keys.ts'
import { Icon } from '../../look/Icon.tsx'
import { useTypedWords } from '../useTypedWords.ts'
import style from './filters.module.css'

interface WordSearchProps {
  value: string | undefined
  onChange: (words: string | undefined) => void
  /** In which texts they are looked for: `title and data`. */
  within: string
  /** The heading of its key in the list of keys. */
  where: string
}

export function WordSearch({ value = '', onChange, within, where }: WordSearchProps) {
  const field = useRef<HTMLInputElement>(null)
  const { text, setText, tell } = useTypedWords(value, (words) => onChange(words === '' ? undefined : words))
  useKeys([{ keys: '/', says: 'Find by words', where, run: () => field.current?.select() }])
  return (
    <label className={style.words}>
      <Icon name="search" size={13} />
      <input
        ref={field}
        type="search"
        aria-label={`Words in ${within}`}
        aria-keyshortcuts="/"
        placeholder="Words"
        maxLength={500}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') tell()
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <kbd aria-hidden>/</kbd>
    </label>
  )
}
