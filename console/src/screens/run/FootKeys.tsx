// The keys of the page at its foot: only those that work now.
import { keyCaps, useRegisteredKeys } from '../../app/keys.ts'
import { useSetting } from '../../app/settings.ts'
import style from './FootKeys.module.css'

const hints = [
  { keys: ['j', 'k'], says: 'steps' },
  { keys: ['[', ']'], says: 'older, newer' },
  { keys: ['w'], says: 'waits' },
  { keys: ['+', '-', '0'], says: 'zoom' },
  { keys: ['z'], says: 'zoom to the steps' },
  { keys: ['f'], says: 'follow' },
  { keys: ['m'], says: 'message' },
  { keys: ['s'], says: 'stop' },
]

export function FootKeys() {
  const known = useRegisteredKeys()
  if (useSetting('keys') === 'off') return null
  const works = (key: string) => known.some(({ keys }) => keys === key)
  return (
    <footer className={style.foot}>
      {hints
        .filter(({ keys }) => keys.every(works))
        .map(({ keys, says }) => (
          <span key={says}>
            {keys.flatMap(keyCaps).map((cap) => (
              <kbd key={cap}>{cap}</kbd>
            ))}
            {says}
          </span>
        ))}
      <span className={style.last}>
        <kbd>?</kbd>all keys
      </span>
    </footer>
  )
}
