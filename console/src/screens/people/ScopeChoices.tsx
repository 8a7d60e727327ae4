// Which scopes a new key or OAuth client gets.
import style from './PeopleScreen.module.css'
import { offeredScopes, type Scope } from './scopeList.ts'

export function ScopeChoices({ chosen, onChange }: { chosen: Scope[]; onChange: (chosen: Scope[]) => void }) {
  return (
    <fieldset className={style.scopes}>
      <legend>Scopes</legend>
      {offeredScopes.map((scope) => (
        <label key={scope}>
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, scope] : chosen.filter((each) => each !== scope))
            }
          />
          <code>{scope}</code>
        </label>
      ))}
    </fieldset>
  )
}
