// The keys of the inbox, where one sees them.
import { keyCaps, useRegisteredKeys } from '../../app/keys.ts'
import { useSetting } from '../../app/settings.ts'
import style from './InboxScreen.module.css'

const shown = [
  { keys: ['j', 'k'], says: 'next, previous' },
  { keys: ['1', '9'], says: 'choose', isRange: true },
  { keys: ['mod+Enter'], says: 'send, next' },
  { keys: ['c'], says: 'comment' },
  { keys: ['a'], says: 'assign' },
  { keys: ['h'], says: 'not now' },
  { keys: ['o'], says: 'open the run' },
]

export function FootKeys() {
  const areOn = useSetting('keys') === 'on'
  const known = new Set(useRegisteredKeys().map(({ keys }) => keys))
  const digits = [...known].filter((key) => /^[1-9]$/.test(key)).sort()
  const lastDigit = digits.at(-1)
  return (
    <footer className={style.foot}>
      {areOn &&
        shown.map(({ keys, says, isRange }) => {
          const [first = ''] = keys
          if (!known.has(first)) return null
          const caps = isRange
            ? ['1', ...(lastDigit === undefined || lastDigit === '1' ? [] : [lastDigit])]
            : keys.flatMap(keyCaps)
          return (
            <span key={says}>
              {caps.map((cap, at) => (
                <span key={cap}>
                  {isRange && at > 0 && '–'}
                  <kbd>{cap}</kbd>
                </span>
              ))}
              {says}
            </span>
          )
        })}
      <span className={style.gap} />
      <span>
        <kbd>?</kbd>
        all keys
      </span>
    </footer>
  )
}
