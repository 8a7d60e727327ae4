// What every run of a build is judged by: the team's own rubrics, what the service checks by itself, and the gate that this makes.
import type { EvalRubric } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { Button } from '../../../parts/Button.tsx'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { Confirm } from '../../../parts/Dialog.tsx'
import { Menu } from '../../../parts/Menu.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { rubricsQuery } from '../../../queries/agents.ts'
import { brief } from '../../agents/brief.ts'
import type { TabProps } from '../AgentScreen.tsx'
import tab from '../tab.module.css'
import { GateCard } from './GateCard.tsx'
import { RubricDialog } from './RubricDialog.tsx'
import style from './RubricsTab.module.css'

const rubricsMax = 5

export default function RubricsTab({ agent }: TabProps) {
  const { unable } = useSession()
  const rubrics = useQuery(rubricsQuery(agent.id))
  const [edited, setEdited] = useState<EvalRubric | 'new'>()
  const count = rubrics.data?.rubrics.length ?? 0
  return (
    <div className={tab.columns}>
      <div className={tab.page}>
        <header className={tab.head}>
          <h2>Rubrics</h2>
          <p>Of the live build; a new draft begins with them. At most five.</p>
          <span className={tab.gap} />
          <CopyAs operation="getEvalRubrics" params={{ agentId: agent.id }} />
          <Button
            kind="go"
            icon="plus"
            unable={
              unable('evals:write') ??
              (count >= rubricsMax ? 'A build has at most five rubrics. Delete one first.' : undefined)
            }
            onClick={() => setEdited('new')}
          >
            New rubric
          </Button>
        </header>
        <Shown query={rubrics} what="rubrics">
          {({ rubrics: own, platform_rubrics }) => (
            <>
              {own.length === 0 && (
                <p className={style.none}>
                  No rubric of your own yet. A rubric is a sentence that must be true of a run, such as “every message
                  to the customer is friendly”. A model judges every ended run by it.
                </p>
              )}
              <ul className={tab.rows}>
                {own.map((rubric) => (
                  <Row key={rubric.id} agentId={agent.id} rubric={rubric} onEdit={() => setEdited(rubric)} />
                ))}
              </ul>
              <h3 className={style.subtitle}>Checked by the service in every run</h3>
              <ul className={tab.rows}>
                {platform_rubrics.map(({ key, label, description, severity }) => (
                  <li key={key} className={classes(tab.row, style.row)}>
                    <div className={style.words}>
                      <b>{label}</b> <SeverityTag severity={severity} />
                      <p>{description}</p>
                    </div>
                  </li>
                ))}
              </ul>
            </>
          )}
        </Shown>
      </div>
      <aside className={tab.aside} aria-label="Promotion gate">
        <GateCard agentId={agent.id} />
      </aside>
      {edited && (
        <RubricDialog
          agentId={agent.id}
          rubric={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  )
}

const tones = { critical: 'fail', medium: 'wait', low: undefined } as const

const SeverityTag = ({ severity }: { severity: EvalRubric['severity'] }) => <Tag tone={tones[severity]}>{severity}</Tag>

function Row({ agentId, rubric, onEdit }: { agentId: string; rubric: EvalRubric; onEdit: () => void }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const remove = useMutation({
    mutationFn: () => runyard.evaluations.deleteRubric(agentId, rubric.id),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['agent', agentId, 'rubrics'] })
      setDeleting(false)
      toast(`Deleted “${brief(rubric.title)}”`)
    },
    onError: (error) => toastError('The rubric was not deleted', error),
  })
  const cannot = unable('evals:write')
  return (
    <li className={classes(tab.row, style.row)}>
      <div className={style.words}>
        <b>{rubric.title}</b> <SeverityTag severity={rubric.severity} />
        <p>{rubric.description}</p>
      </div>
      <Menu
        label="Rubric"
        trigger={<Button kind="quiet" icon="more" aria-label={`Actions of ${brief(rubric.title)}`} />}
        items={[
          { label: 'Change…', icon: 'edit', unable: cannot, onSelect: onEdit },
          { label: 'Delete…', icon: 'trash', unable: cannot, onSelect: () => setDeleting(true) },
        ]}
      />
      <Confirm
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete the rubric “${brief(rubric.title)}”?`}
        verb="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>Later runs are not judged by it. Results that exist stay, and count in scores.</p>
      </Confirm>
    </li>
  )
}
