// Every part of the page in every state, light and dark beside each other. Only for those who work on the page.
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classes } from '../../look/classes.ts'
import { ButtonSamples } from './ButtonSamples.tsx'
import { CodeSamples } from './CodeSamples.tsx'
import { FieldSamples } from './FieldSamples.tsx'
import { FloatingSamples } from './FloatingSamples.tsx'
import { HostileSamples } from './HostileSamples.tsx'
import { JsonSamples } from './JsonSamples.tsx'
import { MarkdownSamples } from './MarkdownSamples.tsx'
import style from './PartsScreen.module.css'
import { PlotSamples } from './PlotSamples.tsx'
import { ProgressSamples } from './ProgressSamples.tsx'
import { SchemaFormSamples } from './SchemaFormSamples.tsx'
import { SlipSamples } from './SlipSamples.tsx'
import { StateSamples } from './StateSamples.tsx'
import { StatusSamples } from './StatusSamples.tsx'
import { TableSamples } from './TableSamples.tsx'

const parts: Record<string, () => ReactNode> = {
  Buttons: ButtonSamples,
  Status: StatusSamples,
  Fields: FieldSamples,
  Floating: FloatingSamples,
  States: StateSamples,
  Slip: SlipSamples,
  Json: JsonSamples,
  Markdown: MarkdownSamples,
  SchemaForm: SchemaFormSamples,
  Plot: PlotSamples,
  Code: CodeSamples,
  Table: TableSamples,
  Progress: ProgressSamples,
  Hostile: HostileSamples,
}

/** Parts that must not be there twice: one of them is enough to type into. */
const onlyOnce = new Set(['Hostile'])

export function PartsScreen() {
  const { part } = useSearch({ from: '/_parts' })
  const shown = Object.entries(parts).filter(([name]) => part === undefined || name === part)
  return (
    <main className={style.screen}>
      <nav className={style.names} aria-label="Parts">
        <Link to="/_parts" search={{}} activeOptions={{ exact: true }}>
          All
        </Link>
        {Object.keys(parts).map((name) => (
          <Link key={name} to="/_parts" search={{ part: name }}>
            {name}
          </Link>
        ))}
      </nav>
      {shown.map(([name, Samples]) => (
        <section key={name} aria-label={name}>
          <h2 className={style.head}>{name}</h2>
          <div className={classes(style.sides, onlyOnce.has(name) && style.one)}>
            <Side theme="light">
              <Samples />
            </Side>
            {!onlyOnce.has(name) && (
              <Side theme="dark">
                <Samples />
              </Side>
            )}
          </div>
        </section>
      ))}
    </main>
  )
}

function Side({ theme, children }: { theme: 'light' | 'dark'; children: ReactNode }) {
  return (
    <div className={style.side} data-theme={theme}>
      {children}
    </div>
  )
}
