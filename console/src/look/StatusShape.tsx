// The shape of each status. Every status has an outline of its own, so that nothing depends on telling colours apart.
import type { ReactNode } from 'react'
import style from './StatusShape.module.css'

/** `human`: waits for a person; `wait`: waits for a time, a connection, a sub-run or a slot; `pass`: a verdict, never a status. */
export type Shape = 'pending' | 'running' | 'human' | 'wait' | 'done' | 'failed' | 'stopped' | 'pass'

const drawings: Record<Shape, ReactNode> = {
  pending: (
    <circle cx="8" cy="8" r="5.5" fill="none" stroke="var(--idle)" strokeWidth="1.5" strokeDasharray="1.9 2.42" />
  ),
  running: (
    <>
      <circle cx="8" cy="8" r="5.75" fill="none" stroke="var(--running)" strokeWidth="1.5" opacity=".35" />
      <path
        className={style['turning']}
        d="M8 2.25A5.75 5.75 0 0 1 13.75 8"
        fill="none"
        stroke="var(--running)"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
      <path d="M6.6 5.6v4.8L10.4 8z" fill="var(--running)" />
    </>
  ),
  human: (
    <>
      <rect x="3.2" y="3.2" width="9.6" height="9.6" rx="1.6" transform="rotate(45 8 8)" fill="var(--waiting)" />
      <path d="M8 4.9v3.5M8 10.7v.1" stroke="var(--on-status)" strokeWidth="1.6" strokeLinecap="round" />
    </>
  ),
  wait: (
    <g fill="none" stroke="var(--idle)" strokeLinecap="round" strokeLinejoin="round">
      <rect x="3.9" y="3.9" width="8.2" height="8.2" rx="1.4" transform="rotate(45 8 8)" strokeWidth="1.5" />
      <path d="M8 5.8V8l1.4 1" strokeWidth="1.3" />
    </g>
  ),
  done: (
    <g fill="none" stroke="var(--done)">
      <circle cx="8" cy="8" r="5.75" strokeWidth="1.3" opacity=".75" />
      <path d="M5.4 8.2 7.2 10l3.5-3.9" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
    </g>
  ),
  failed: (
    <>
      <path d="M5.3 1.6h5.4l3.7 3.7v5.4l-3.7 3.7H5.3l-3.7-3.7V5.3z" fill="var(--failed)" />
      <path d="M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4" stroke="var(--on-status)" strokeWidth="1.5" strokeLinecap="round" />
    </>
  ),
  stopped: (
    <>
      <rect x="2.9" y="2.9" width="10.2" height="10.2" rx="2" fill="none" stroke="var(--idle)" strokeWidth="1.5" />
      <rect x="6" y="6" width="4" height="4" rx=".6" fill="var(--idle)" />
    </>
  ),
  pass: (
    <>
      <circle cx="8" cy="8" r="6" fill="var(--pass)" />
      <path
        d="M5.3 8.2 7.2 10l3.5-3.9"
        fill="none"
        stroke="var(--on-status)"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
}

/** Without a label it stands beside its word. */
export function StatusShape({ shape, size = 16, label }: { shape: Shape; size?: number; label?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      className={style['shape']}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {drawings[shape]}
    </svg>
  )
}
