// The icons: 16 by 16, one line of 1.35 px, in the colour of the text around them.

const lines = {
  agents: 'M3 3.5h10v9H3zM5.5 6.5h5M5.5 9.5h3',
  arrowDown: 'M8 3v9.5M4.5 9 8 12.5 11.5 9',
  artifacts: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  bell: 'M4 11.5h8l-1.2-1.8V7a2.8 2.8 0 0 0-5.6 0v2.7zM6.8 13.5h2.4',
  book: 'M3 3.5h4a1 1 0 0 1 1 1v8.5a1 1 0 0 0-1-1H3zM13 3.5H9a1 1 0 0 0-1 1v8.5a1 1 0 0 1 1-1h4z',
  browser: 'M2.5 3.5h11v9h-11zM2.5 6h11M4.5 4.8h.1',
  check: 'M3.5 8.5 6.5 11.5 12.5 4.8',
  clock: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 5v3l2 1.5',
  connections: 'M6 3v3M10 3v3M4.5 6h7v2.5a3.5 3.5 0 0 1-7 0zM8 12v2',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  diff: 'M8 3v6M5 6h6M5 12.5h6',
  down: 'M4.5 6.5 8 10l3.5-3.5',
  download: 'M8 2.5v7M5.5 7 8 9.5 10.5 7M3.5 12.5h9',
  edit: 'M3.5 12.5 4 10l6-6 2.5 2.5-6 6zM9 5l2.5 2.5',
  evaluations: 'M3 12.5A5.8 5.8 0 1 1 13 12.5M8 9.5l2.5-3',
  events: 'M8.8 2.5 4 9h3.6l-.6 4.5L12 7H8.3z',
  external: 'M6.5 4H4v8h8V9.5M9 3.5h3.5V7M12.5 3.5 7.5 8.5',
  file: 'M4 2.5h5l3 3v8H4z',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  fold: 'M3 8h2.5l1.5-3 2 6 1.5-3H13',
  inbox: 'M2.5 9.5h3l1 2h3l1-2h3M4 3.5h8l1.5 6v3h-11v-3z',
  info: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 7.5v3M8 5.3v.1',
  keys: 'M9.8 6.2a2.6 2.6 0 1 1 1.2 1.2L6 12.5H3.5V10l1.5-.3V8.3z',
  left: 'M9.5 4.5 6 8l3.5 3.5',
  link: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a2.6 2.6 0 0 1 3.7 3.7L10.7 8.2M9 11.5 7.5 13a2.6 2.6 0 0 1-3.7-3.7l1.5-1.5',
  lock: 'M4 7.5h8v5.5H4zM5.5 7.5V5.5a2.5 2.5 0 0 1 5 0v2',
  members:
    'M6 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM2.5 12.5c.4-1.8 1.7-2.8 3.5-2.8s3.1 1 3.5 2.8M10.5 7.3a1.8 1.8 0 1 0-.6-3.5M11 9.8c1.4.2 2.2 1.1 2.5 2.7',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  message: 'M3 3.5h10v7H8l-3 2.5v-2.5H3z',
  minus: 'M3.5 8h9',
  model: 'M8 2.5 9.4 6.6 13.5 8 9.4 9.4 8 13.5 6.6 9.4 2.5 8l4.1-1.4z',
  moon: 'M12.5 9.8A5 5 0 0 1 6.2 3.5a5 5 0 1 0 6.3 6.3z',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  next: 'M5 4l5 4-5 4zM11.5 4v8',
  out: 'M9.5 4V3H3.5v10h6v-1M6.5 8h7M11 5.5 13.5 8 11 10.5',
  overview: 'M2.5 8.5 8 3l5.5 5.5M4 7.5v5.5h8V7.5',
  pause: 'M5.5 4v8M10.5 4v8',
  play: 'M5.5 4v8l6.5-4z',
  plus: 'M8 3.5v9M3.5 8h9',
  prev: 'M11 4 6 8l5 4zM4.5 4v8',
  queues: 'M2.5 5 8 2.5 13.5 5 8 7.5zM2.5 8 8 10.5 13.5 8M2.5 11 8 13.5 13.5 11',
  retry: 'M12.5 8A4.5 4.5 0 1 1 11 4.7M11.2 2.5v2.6H8.6',
  right: 'M6.5 4.5 10 8l-3.5 3.5',
  runs: 'M2.5 4h7M2.5 8h4.5M2.5 12h7M10.5 6.2v3.6L13.5 8z',
  sandboxes: 'M2.5 3.5h11v9h-11zM5 6.5l2 1.5-2 1.5M8.5 10h2.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  share: 'M8 9.5v-7M5.5 5 8 2.5 10.5 5M4 7.5v6h8v-6',
  stop: 'M4.5 4.5h7v7h-7z',
  subrun: 'M4.5 3v6.5a2 2 0 0 0 2 2h5M9.5 9.5l2 2-2 2',
  sun: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 2v1.2M8 12.8V14M2 8h1.2M12.8 8H14M3.8 3.8l.8.8M11.4 11.4l.8.8M3.8 12.2l.8-.8M11.4 4.6l.8-.8',
  system: 'M3 3.5h10v4H3zM3 8.5h10v4H3zM5.2 5.5h.1M5.2 10.5h.1',
  tool: 'M10.8 2.8a3 3 0 0 0-3.6 4L3 11l2 2 4.2-4.2a3 3 0 0 0 4-3.6L11.4 7 9 4.6z',
  trash: 'M3.5 4.5h9M6 4.5V3h4v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5',
  up: 'M8 13V3.5M4.5 7 8 3.5 11.5 7',
  usage: 'M3 13V8.5M6.3 13V5M9.7 13V7M13 13V3',
  user: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3.5 13.2c.6-2 2.3-3.2 4.5-3.2s3.9 1.2 4.5 3.2',
  wrap: 'M2.5 4h11M2.5 8h8.5a2 2 0 0 1 0 4H8M9.5 10.3 7.8 12l1.7 1.7M2.5 12h2.5',
  x: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
} as const

export type IconName = keyof typeof lines

/** Without a label it is decoration, and screen readers pass over it. */
export function Icon({ name, size = 16, label }: { name: IconName; size?: number; label?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.35}
      strokeLinecap="round"
      strokeLinejoin="round"
      style={{ flex: 'none' }}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      <path d={lines[name]} />
    </svg>
  )
}
