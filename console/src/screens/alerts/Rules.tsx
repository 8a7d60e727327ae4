// The rules of the team with what each last measured; they are made, changed, switched off and deleted here.
import type { AlertRule } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button, ButtonLink } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { Confirm } from '../../parts/Dialog.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Cell, Row, RowTable } from '../../parts/RowTable.tsx'
import { Empty, Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import { alertRulesQuery } from '../../queries/alerts.ts'
import style from './AlertsScreen.module.css'
import { aboutText, valueText } from './alertText.ts'
import { RuleDialog } from './RuleDialog.tsx'

const route = getRouteApi('/frame/alerts')

export function Rules() {
  const { edit, remove } = route.useSearch()
  const navigate = route.useNavigate()
  const rules = useQuery(alertRulesQuery)
  const close = () => void navigate({ search: { tab: 'rules' }, replace: true })
  const edited = rules.data?.find(({ id }) => id === edit)
  const removed = rules.data?.find(({ id }) => id === remove)
  return (
    <>
      <Shown query={rules} what="rules">
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              icon="bell"
              title="There are no rules"
              action={
                <ButtonLink kind="go" icon="plus" to="/alerts" search={{ tab: 'rules', edit: 'new' }}>
                  New rule
                </ButtonLink>
              }
              command="runyard alerts add 'Runs fail' --signal failure_rate --threshold 50"
            >
              A rule says at which value of a signal an incident opens, and whether it pauses an agent.
            </Empty>
          ) : (
            <Card title="Rules">
              <div className={style.rows}>
                <RowTable heads={['Rule', 'State', 'Now', 'Threshold']}>
                  {rows.map((rule) => (
                    <Rule key={rule.id} rule={rule} />
                  ))}
                </RowTable>
              </div>
            </Card>
          )
        }
      </Shown>
      {edit === 'new' && <RuleDialog onClose={close} />}
      {edited && <RuleDialog rule={edited} onClose={close} />}
      {removed && <RemoveRule rule={removed} onClose={close} />}
    </>
  )
}

// grey is good news
const tones = { ok: undefined, pending: 'wait', open: 'fail', closing: 'wait' } as const
const words = { ok: 'well', pending: 'over, not for long enough', open: 'open', closing: 'well, not for long enough' }

function Rule({ rule }: { rule: AlertRule }) {
  const navigate = route.useNavigate()
  const queries = useQueryClient()
  const cannot = useSession().unable('agents:write')
  const change = useMutation({
    mutationFn: (enabled: boolean) => runyard.alerts.updateRule(rule.id, { enabled }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
    onError: (error) => toastError('The rule was not changed', error),
  })
  const open = (search: object) => void navigate({ search: { tab: 'rules', ...search } })
  return (
    <Row
      isMenu
      actions={
        <Menu
          label={`Rule ${visible(rule.name)}`}
          trigger={<Button kind="quiet" icon="more" aria-label={`More about ${visible(rule.name)}`} />}
          items={[
            { label: 'Change…', icon: 'edit', unable: cannot, onSelect: () => open({ edit: rule.id }) },
            {
              label: rule.enabled ? 'Switch off' : 'Switch on',
              icon: rule.enabled ? 'pause' : 'play',
              unable: cannot,
              onSelect: () => change.mutate(!rule.enabled),
            },
            { label: 'Delete…', icon: 'trash', unable: cannot, onSelect: () => open({ remove: rule.id }) },
          ]}
        />
      }
    >
      <Cell>
        <span className={style.name}>
          {visible(rule.name)}
          {rule.pause_agent && <Tag>pauses its agent</Tag>}
        </span>
        <span className="dim small">{aboutText(rule)}</span>
        {rule.problem !== null && <span className={style.problem}>{visible(rule.problem)}</span>}
      </Cell>
      <Cell of="State">
        {rule.enabled ? <Tag tone={tones[rule.state]}>{words[rule.state]}</Tag> : <Tag>off</Tag>}{' '}
        {rule.incident_id !== null && (
          <Link className="link" to="/alerts" search={{ incident: rule.incident_id }}>
            incident
          </Link>
        )}
      </Cell>
      <Cell of="Now">
        {rule.measured_at === null ? (
          <span className="dim">not measured yet</span>
        ) : (
          <>
            {valueText(rule.signal, rule.measured_value)}
            <span className="dim small">
              , <Time at={rule.measured_at} />
            </span>
          </>
        )}
      </Cell>
      <Cell of="Threshold">{valueText(rule.signal, rule.threshold)}</Cell>
    </Row>
  )
}

function RemoveRule({ rule, onClose }: { rule: AlertRule; onClose: () => void }) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => runyard.alerts.deleteRule(rule.id),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['alerts'] })
      toast('The rule is deleted')
      onClose()
    },
    onError: (error) => toastError('The rule was not deleted', error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the rule “${visible(rule.name)}”?`}
      verb="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>Its open incident closes. Its incidents stay readable.</p>
    </Confirm>
  )
}
