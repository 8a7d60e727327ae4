// The page of an artifact in a frame of its own: it has no origin, reaches nothing, and tells only which element was selected.
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useSetting } from '../../app/settings.ts'
import style from './ArtifactScreen.module.css'
import { readFrameNews, type Selected } from './selected.ts'

interface PageFrameProps {
  title: string
  /** `/v2/artifacts/…/render/selectable`, or the page of a revision. */
  path: string
  /** Another one reloads the page. */
  version: string
  isSelecting: boolean
  onSelected: (selected: Selected) => void
  onCancelled: () => void
}

export function PageFrame({ title, path, version, isSelecting, onSelected, onCancelled }: PageFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const theme = useSetting('theme')
  const [loads, setLoads] = useState(0)
  const source = theme === 'system' ? path : `${path}?theme=${theme}`
  const onMessage = useEffectEvent((event: MessageEvent) => {
    // any window can send a message: only the frame's own counts
    if (event.source !== frame.current?.contentWindow) return
    const news = readFrameNews(event.data)
    if (news?.kind === 'ready') setLoads((before) => before + 1)
    if (news?.kind === 'selected') onSelected(news.selected)
    if (news?.kind === 'cancelled') onCancelled()
  })
  useEffect(() => {
    const listen = (event: MessageEvent) => onMessage(event)
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [])
  useEffect(() => {
    // the frame has no origin that could be named, and the message has nothing that is not for it
    frame.current?.contentWindow?.postMessage({ runyard: 'artifact', select: isSelecting }, '*')
    if (isSelecting) frame.current?.focus()
  }, [isSelecting, loads])
  return (
    <iframe
      key={`${source} ${version}`}
      ref={frame}
      className={style.frame}
      title={title}
      src={source}
      sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
    />
  )
}
