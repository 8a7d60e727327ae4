// What a model writes at this moment, as the words come. They are not kept: the turn has them when it is over.
import { useEffect, useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useLive } from '../../../app/live.tsx'
import { Icon } from '../../../look/Icon.tsx'
import style from './LiveWords.module.css'

/** The newest of them are enough to see that it goes well. */
const lettersShown = 600
/** Words come by the token; the page draws them some times a second. */
const drawMs = 100

/** Give it only while the run is at work: each open stream is one of the few connections that a browser has. */
export function LiveWords({ runId }: { runId: string }) {
  const words = useWords(runId)
  if (words === '') return null
  return (
    <p className={style.words} aria-live="off">
      <Icon name="model" size={14} />
      <span>
        {words}
        <i aria-hidden />
      </span>
    </p>
  )
}

function useWords(runId: string): string {
  const [words, setWords] = useState('')
  const { state } = useLive()
  const isLive = state === 'live'
  const isVisible = useVisible()
  useEffect(() => {
    if (!isLive || !isVisible) return undefined
    const stop = new AbortController()
    let text = ''
    let timer: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        setWords(text)
      }, drawMs)
    }
    const follow = async () => {
      for await (const event of runyard.runs.events(runId, { signal: stop.signal })) {
        if (event.event === 'delta') text = (text + event.data.text).slice(-lettersShown)
        else if (event.event === 'run.message.created' && event.data.message.role === 'assistant') text = ''
        else continue
        draw()
      }
    }
    follow().catch(() => {
      // only words that pass by: the live mark tells whether the connection works
      if (!stop.signal.aborted) setWords('')
    })
    return () => {
      stop.abort()
      clearTimeout(timer)
      setWords('')
    }
  }, [runId, isLive, isVisible])
  return words
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const onChange = () => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [])
  return isVisible
}
