// One picture as large as the window allows, with what was done and where; arrow keys lead through the film.
import type { Screenshot } from '@runyard/sdk'
import type { KeyboardEvent } from 'react'
import { Button } from '../../../parts/Button.tsx'
import { Dialog } from '../../../parts/Dialog.tsx'
import { Time } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import style from './Lightbox.module.css'

interface LightboxProps {
  pictures: Screenshot[]
  at: number
  onShow: (place: number) => void
  onClose: () => void
}

export function Lightbox({ pictures, at, onShow, onClose }: LightboxProps) {
  const picture = pictures[at]
  if (!picture) return null
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') onShow(at - 1)
    if (key === 'ArrowRight') onShow(at + 1)
  }
  const actions = (
    <>
      <Button
        icon="prev"
        unable={at === 0 ? 'This is the first picture.' : undefined}
        onClick={() => onShow(at - 1)}
        keys={['←']}
      >
        Previous
      </Button>
      <Button
        icon="next"
        unable={at === pictures.length - 1 ? 'This is the last picture.' : undefined}
        onClick={() => onShow(at + 1)}
        keys={['→']}
      >
        Next
      </Button>
    </>
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      width="wide"
      title={`Picture ${at + 1} of ${pictures.length} · step ${picture.step}`}
      actions={actions}
    >
      {/* both buttons do the same */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex */}
      <figure className={style.figure} tabIndex={0} aria-label="Picture; arrow keys show others" onKeyDown={onKeyDown}>
        <img
          src={picture.image_url}
          width={picture.width}
          height={picture.height}
          alt={`What the browser showed after: ${picture.action}`}
        />
        <figcaption>
          <b>{visible(picture.action)}</b>
          <span className="cut" title={picture.url}>
            {visible(`${picture.title} · ${picture.url}`)}
          </span>
          <Time at={picture.taken_at} />
        </figcaption>
      </figure>
    </Dialog>
  )
}
