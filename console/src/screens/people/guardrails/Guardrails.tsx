// Guardrails of the team: the rules that are live, a form to change them with a dry run beside it, what they stopped, and their history.
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../../app/session.tsx'
import { Shown } from '../../../parts/states.tsx'
import { guardrailsQuery } from '../../../queries/guardrails.ts'
import style from '../PeopleScreen.module.css'
import { GuardrailForm } from './GuardrailForm.tsx'
import { GuardrailHistory } from './GuardrailHistory.tsx'
import { GuardrailStops } from './GuardrailStops.tsx'

export function Guardrails() {
  const { unable } = useSession()
  const live = useQuery(guardrailsQuery)
  const cannot = unable('keys:manage')
  return (
    <div className={style.parts}>
      <Shown query={live} what="guardrails" rows={8}>
        {({ guardrails, today }) => (
          // another version begins another form
          <GuardrailForm key={guardrails.version} live={guardrails} today={today} cannot={cannot} />
        )}
      </Shown>
      <GuardrailStops />
      <GuardrailHistory cannot={cannot} />
    </div>
  )
}
