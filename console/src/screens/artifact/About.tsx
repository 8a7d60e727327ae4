// The element of the page that a message is about.
import type { ReactNode } from 'react'
import { visible } from '../../parts/visibleText.ts'
import style from './ArtifactScreen.module.css'
import type { Selected } from './selected.ts'

export function About({ selected, children }: { selected: Selected; children?: ReactNode }) {
  return (
    <span className={style.about} title={selected.selector}>
      <code>{visible(selected.tag_name)}</code>
      <span>{visible(selected.label)}</span>
      {children}
    </span>
  )
}
