// The field for words: what is typed narrows the list a moment later.
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useKeys } from '../../app/keys.ts'
import { Icon } from '../../look/Icon.tsx'
import style from './FilterBar.module.css'

const pauseMs = 300

export function WordSearch({
  value = '',
  onChange,
}: {
  value: string | undefined
  onChange: (words: string | undefined) => void
}) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  // the address was changed from elsewhere: a tab, "Clear", or going back
  if (known !== value) {
    setKnown(value)
    if (text.trim() !== value) setText(value)
  }
  useKeys([{ keys: '/', says: 'Find by words', where: 'Runs', run: () => field.current?.select() }])
  const tell = () => {
    const words = text.trim()
    if (words !== value) onChange(words === '' ? undefined : words)
  }
  const tellLater = useEffectEvent(tell)
  useEffect(() => {
    const timer = setTimeout(() => tellLater(), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <label className={style.words}>
      <Icon name="search" size={13} />
      <input
        ref={field}
        type="search"
        aria-label="Words in title, case and message"
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
