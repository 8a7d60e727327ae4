// Which connections runs may use: all of them, or those that are ticked, by name. What is stored are their ids.
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useSession } from '../../../app/session.tsx'
import { Problem } from '../../../parts/Field.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { connectionsQuery } from '../../../queries/connections.ts'
import style from './Guardrails.module.css'
import { listOrNull, listText } from './rulesText.ts'

interface Props {
  /** Ids, a line each; empty: every connection. */
  value: string
  problem: string | undefined
  isOff: boolean
  onChange: (value: string) => void
}

export function AllowedConnections({ value, problem, isOff, onChange }: Props) {
  const { unable } = useSession()
  const name = useId()
  const connections = useQuery({
    ...connectionsQuery({ limit: 100 }),
    enabled: unable('connections:read') === undefined,
  })
  const chosen = listOrNull(value)
  const known = connections.data?.integrations ?? []
  // one that was removed, or is not on the first page, can still be taken out
  const others = (chosen ?? []).filter((id) => !known.some((one) => one.id === id))
  const choices = [...known.map(({ id, name: label }) => ({ id, label })), ...others.map((id) => ({ id, label: id }))]
  const toggle = (id: string, isOn: boolean) =>
    onChange(listText(isOn ? [...(chosen ?? []), id] : (chosen ?? []).filter((one) => one !== id)))
  return (
    <fieldset className={style.connections} disabled={isOff}>
      <legend>Connections</legend>
      <label>
        <input type="radio" name={name} checked={chosen === null} onChange={() => onChange('')} />
        Runs may use every connection
      </label>
      <label>
        <input type="radio" name={name} checked={chosen !== null} onChange={() => onChange(listText(chosen ?? []))} />
        Only these
      </label>
      {chosen !== null && (
        <div className={style.choices}>
          {choices.length === 0 && <p className="dim small">This team has no connections.</p>}
          {choices.map(({ id, label }) => (
            <label key={id}>
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={(event) => toggle(id, event.target.checked)}
              />
              <span className="cut">{visible(label)}</span>
            </label>
          ))}
        </div>
      )}
      {problem !== undefined && <Problem>{problem}</Problem>}
    </fieldset>
  )
}
