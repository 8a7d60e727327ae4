// Words that the list is searched by, by the service, while one types.
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useKeys } from '../../app/keys.ts'
import { Icon } from '../../look/Icon.tsx'
import style from './SearchField.module.css'

const pauseMs = 200

export function SearchField({ value, onChange }: { value: string; onChange: (words: string) => void }) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const [sent, setSent] = useState(value)
  // the address changed by other means, such as the way back
  if (value !== sent) {
    setSent(value)
    setText(value)
  }
  const send = useEffectEvent(() => {
    if (text.trim() === sent) return
    setSent(text.trim())
    onChange(text.trim())
  })
  useEffect(() => {
    const timer = setTimeout(send, pauseMs)
    return () => clearTimeout(timer)
  }, [text])
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
