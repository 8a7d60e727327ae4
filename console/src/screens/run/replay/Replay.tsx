// The replay strip: pictures of the browser keyed to steps, with a scrubber, playing and speed.
import type { Screenshot } from '@runyard/sdk'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { Icon } from '../../../look/Icon.tsx'
import { Button } from '../../../parts/Button.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { useRunAddress } from '../address.ts'
import { Lightbox } from './Lightbox.tsx'
import { currentOf, nextSpeed, stayMs, type Speed } from './playing.ts'
import style from './Replay.module.css'

/** A picture of the film with the gap beside it. */
const frameWidth = 156

export function Replay({ pictures, isActive }: { pictures: Screenshot[]; isActive: boolean }) {
  const { search, choose } = useRunAddress()
  const at = currentOf(pictures, search, isActive)
  const [isPlaying, setPlaying] = useState(false)
  const [isLarge, setLarge] = useState(false)
  const [speed, setSpeed] = useState<Speed>(1)
  const current = pictures[at]
  const isLast = at >= pictures.length - 1

  const show = (place: number) => {
    const picture = pictures[place]
    if (picture) choose({ picture: picture.seq, step: picture.step })
  }
  useEffect(() => {
    if (!isPlaying) return undefined
    const next = pictures[at + 1]
    const timer = setTimeout(
      () => (next ? choose({ picture: next.seq, step: next.step }) : setPlaying(false)),
      next ? stayMs(pictures, at, speed) : 0,
    )
    return () => clearTimeout(timer)
  }, [isPlaying, at, speed, pictures, choose])

  if (!current) return null
  const play = () => {
    if (isLast && !isPlaying) show(0)
    setPlaying(!isPlaying)
  }
  return (
    <section className={style.replay} aria-label="Replay">
      <header className={style.head}>
        <b>Replay</b>
        <span className="dim small cut" aria-live="polite">
          picture {at + 1} of {pictures.length} · step {current.step} · {visible(current.action)}
        </span>
        <span className={style.gap} />
        <Button kind="quiet" aria-label="Previous picture" icon="prev" onClick={() => show(at - 1)} />
        <Button
          kind="quiet"
          aria-label={isPlaying ? 'Pause' : 'Play'}
          icon={isPlaying ? 'pause' : 'play'}
          onClick={play}
        />
        <Button kind="quiet" aria-label="Next picture" icon="next" onClick={() => show(at + 1)} />
        <Button
          kind="quiet"
          className={style.speed}
          aria-label={`Speed: ${speed} times. Press for ${nextSpeed(speed)} times.`}
          onClick={() => setSpeed(nextSpeed(speed))}
        >
          {speed}×
        </Button>
        <Button kind="quiet" aria-label="Show the picture large" icon="external" onClick={() => setLarge(true)} />
      </header>
      <input
        className={style.scrub}
        type="range"
        min={0}
        max={Math.max(1, pictures.length - 1)}
        value={at}
        aria-label="Picture"
        aria-valuetext={`Picture ${at + 1} of ${pictures.length}: ${current.action}`}
        style={{ ['--done' as string]: `${pictures.length > 1 ? (at / (pictures.length - 1)) * 100 : 100}%` }}
        onChange={(event) => show(Number(event.target.value))}
      />
      <Film pictures={pictures} at={at} onShow={show} onEnlarge={() => setLarge(true)} />
      {isLarge && <Lightbox pictures={pictures} at={at} onShow={show} onClose={() => setLarge(false)} />}
    </section>
  )
}

interface FilmProps {
  pictures: Screenshot[]
  at: number
  onShow: (place: number) => void
  onEnlarge: () => void
}

function Film({ pictures, at, onShow, onEnlarge }: FilmProps) {
  const place = useRef<HTMLDivElement>(null)
  const film = useVirtualizer({
    count: pictures.length,
    horizontal: true,
    getScrollElement: () => place.current,
    estimateSize: () => frameWidth,
    overscan: 4,
  })
  useEffect(() => film.scrollToIndex(at, { align: 'auto' }), [film, at])
  return (
    <div className={style.film} ref={place}>
      <ol className={style.frames} style={{ width: film.getTotalSize() }}>
        {film.getVirtualItems().map(({ index, start }) => {
          const picture = pictures[index]
          if (!picture) return null
          return (
            <li key={picture.id} style={{ transform: `translateX(${start}px)` }}>
              <button
                type="button"
                className={style.frame}
                aria-current={index === at || undefined}
                aria-label={`Picture ${index + 1}, step ${picture.step}: ${picture.action}`}
                onClick={() => (index === at ? onEnlarge() : onShow(index))}
              >
                <Thumbnail picture={picture} />
                <span className="cut">
                  <b>{picture.step}</b> {visible(picture.action)}
                </span>
              </button>
            </li>
          )
        })}
      </ol>
    </div>
  )
}

function Thumbnail({ picture }: { picture: Screenshot }) {
  const [isGone, setGone] = useState(false)
  return isGone ? (
    <span className={style.gone}>
      <Icon name="browser" />
      erased
    </span>
  ) : (
    <img src={picture.thumbnail_url} alt="" loading="lazy" decoding="async" onError={() => setGone(true)} />
  )
}
