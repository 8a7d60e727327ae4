// Usage by model: a bar unfolds to the agents that used the model, and each of those leads to its runs.
import type { BillingUsage, ModelUsage } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import layout from '../../parts/CardPage.module.css'
import { counted, money } from '../../parts/amounts.ts'
import { BarList } from '../../parts/BarList.tsx'
import { Card } from '../../parts/Card.tsx'
import { modelUsageQuery, type UsageDays } from '../../queries/usage.ts'
import { agentWords, runsOf } from './amounts.ts'
import type { Measure } from './search.ts'

const route = getRouteApi('/frame/usage')

const purposes: Record<BillingUsage['by_purpose'][number]['purpose'], string> = {
  run: 'runs',
  builder: 'builders',
  judge: 'judges',
  replay: 'replays',
}

export function ByModel({ usage, days, show }: { usage: BillingUsage; days: UsageDays; show: Measure }) {
  const { model: unfolded } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: users = [] } = useQuery(modelUsageQuery(days))
  const spent = usage.by_purpose.map(({ purpose, cost_usd }) => `${money(cost_usd)} for ${purposes[purpose]}`)
  return (
    <Card title="By model" facts={spent.join(', ')}>
      {usage.by_model.length === 0 ? (
        <p className={layout.note}>No model was asked in this time. Procedures without a model cost nothing.</p>
      ) : (
        <BarList
          label="Usage by model"
          unfolded={unfolded}
          onUnfold={(key) =>
            void navigate({
              search: (now) => ({ ...now, model: key === unfolded ? undefined : key }),
              replace: true,
            })
          }
          rows={usage.by_model.map((row) => ({
            key: row.model,
            name: row.model,
            ...amounts(show, row),
            parts: users
              .filter(({ model }) => model === row.model)
              .map((user) => ({
                key: user.agent_id,
                name: agentWords(user.agent_name),
                ...amounts(show, user),
                link: runsOf(user.agent_id, user.is_artifact, days),
              })),
          }))}
        />
      )}
    </Card>
  )
}

/** A model has no runs of its own: its calls are shown instead. */
function amounts(show: Measure, row: Pick<ModelUsage, 'calls' | 'tokens' | 'cost_usd'>) {
  const [cost, tokens, calls] = [money(row.cost_usd), counted(row.tokens, 'token'), counted(row.calls, 'call')]
  if (show === 'cost') return { value: row.cost_usd, says: cost, detail: `${tokens}, ${calls}` }
  if (show === 'tokens') return { value: row.tokens, says: tokens, detail: `${cost}, ${calls}` }
  return { value: row.calls, says: calls, detail: `${cost}, ${tokens}` }
}
