// What is typed into a search field, and told a moment after the last letter.
import { useEffect, useEffectEvent, useState } from 'react'

const pauseMs = 250

export interface TypedWords {
  text: string
  setText: (text: string) => void
  /** Tells it without waiting. */
  tell: () => void
}

/** `value` is what the address has. */
export function useTypedWords(value: string, onChange: (words: string) => void): TypedWords {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  // the address was changed from elsewhere: a tab, "Clear", or going back
  if (known !== value) {
    setKnown(value)
    if (text.trim() !== value) setText(value)
  }
  const tell = () => {
    if (text.trim() !== value) onChange(text.trim())
  }
  const tellLater = useEffectEvent(tell)
  useEffect(() => {
    const timer = setTimeout(() => tellLater(), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return { text, setText, tell }
}
