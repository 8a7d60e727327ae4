// The list of all keys that work where one is.
import { Dialog } from '../parts/Dialog.tsx'
import { keyCaps, useRegisteredKeys } from './keys.ts'
import style from './KeyList.module.css'

export default function KeyList({ onClose }: { onClose: () => void }) {
  const groups = Map.groupBy(useRegisteredKeys(), ({ where }) => where)
  return (
    <Dialog isOpen onClose={onClose} title="Keys">
      <div className={style.groups}>
        {[...groups].map(([where, bindings]) => (
          <section key={where}>
            <h3 className="caption">{where}</h3>
            <dl>
              {bindings.map(({ keys, says }) => (
                <div key={keys}>
                  <dt>{says}</dt>
                  <dd>
                    {keyCaps(keys).map((cap, at) => (
                      <kbd key={at}>{cap}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="dim small">Keys are off while you type. The menu with your name can switch them off altogether.</p>
    </Dialog>
  )
}
