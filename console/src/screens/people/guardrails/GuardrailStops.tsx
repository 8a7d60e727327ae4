// What the guardrails stopped lately, with the runs behind it.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { classes } from '../../../look/classes.ts'
import { ruleWords, wayWords, withoutRule } from '../../../parts/guardrailWords.ts'
import { Cell, Row, RowTable, RowTableHead } from '../../../parts/RowTable.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Time } from '../../../parts/Time.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { guardrailStopsQuery } from '../../../queries/guardrails.ts'
import style from './Guardrails.module.css'

export function GuardrailStops() {
  const stops = useQuery(guardrailStopsQuery)
  return (
    <section aria-label="What was stopped">
      <h2 className={style.title}>What was stopped</h2>
      <RowTableHead says="Calls that a rule refused, asked people about, or let wait. The newest 20." />
      <Shown query={stops} what="stops" rows={3}>
        {(page) =>
          page.stops.length === 0 ? (
            <p className="dim">Nothing was stopped in the last 90 days.</p>
          ) : (
            <RowTable heads={['Tool', 'Rule', 'Effect', 'When', 'Run']} hasActions={false}>
              {page.stops.map(({ run_id, step, tool, rule, way, says, at }) => (
                <Row key={`${run_id} ${step} ${rule}`}>
                  <Cell>
                    {visible(tool)}
                    <span className={classes(style.says, 'dim', 'small')}>{visible(withoutRule(says))}</span>
                  </Cell>
                  <Cell of="Rule">{ruleWords[rule]}</Cell>
                  <Cell of="Effect">{wayWords[way]}</Cell>
                  <Cell of="When">
                    <Time at={at} />
                  </Cell>
                  <Cell of="Run">
                    <Link className="link" to="/runs/$runId" params={{ runId: run_id }} search={{ step }}>
                      Open, step {step}
                    </Link>
                  </Cell>
                </Row>
              ))}
            </RowTable>
          )
        }
      </Shown>
    </section>
  )
}
