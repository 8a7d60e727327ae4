// Whether evaluations agree with people: the share, the four cases, and the runs where they do not.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import layout from '../../parts/CardPage.module.css'
import { count, counted } from '../../parts/amounts.ts'
import { Card } from '../../parts/Card.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Shown } from '../../parts/states.tsx'
import { visible } from '../../parts/visibleText.ts'
import { agreementQuery } from '../../queries/evaluations.ts'
import style from './EvaluationsScreen.module.css'
import { percent } from './percent.ts'

export function Agreement({ agentId, since }: { agentId: string; since: string }) {
  const agreement = useQuery(agreementQuery(agentId, since))
  return (
    <Card
      title="Do people agree?"
      aside={<CopyAs isSmall operation="getMarkAgreement" params={{ agent_id: agentId }} input={{ since }} />}
    >
      <Shown query={agreement} what="marks" rows={4}>
        {(found) =>
          found.agreement === null ? (
            <p className={layout.note}>
              Nobody marked an evaluated run in this time. Mark some of the worst runs as good or bad: where people and
              checks differ, a check or a rubric may be wrong.
            </p>
          ) : (
            <div className={style.agreement}>
              <p>
                <b>{percent(found.agreement)}</b> of {counted(compared(found), 'mark')} agree with the evaluation.
              </p>
              <table className={style.matrix}>
                <thead>
                  <tr>
                    <td aria-hidden />
                    <th scope="col">No issue found</th>
                    <th scope="col">Issues found</th>
                  </tr>
                </thead>
                <tbody>
                  <tr>
                    <th scope="row">People say good</th>
                    <td className={style.agree}>{count(found.good_passed)}</td>
                    <td className={style.differ}>{count(found.good_with_issues)}</td>
                  </tr>
                  <tr>
                    <th scope="row">People say bad</th>
                    <td className={style.differ}>{count(found.bad_passed)}</td>
                    <td className={style.agree}>{count(found.bad_with_issues)}</td>
                  </tr>
                </tbody>
              </table>
              {found.not_evaluated > 0 && (
                <p className="sub">
                  {counted(found.not_evaluated, 'mark is', 'marks are')} of runs without an evaluation.
                </p>
              )}
              {found.disagreements.length > 0 && (
                <ul className={style.differences} aria-label="Where they differ">
                  {found.disagreements.map((one) => (
                    <li key={`${one.run_id} ${one.member_id}`}>
                      <Link
                        className="link"
                        to="/runs/$runId"
                        params={{ runId: one.run_id }}
                        search={{ tab: 'evaluation' }}
                      >
                        {one.run_number} {visible(one.run_title)}
                      </Link>
                      <p className="sub">
                        {one.verdict === 'good'
                          ? `Good, but it failed ${one.failed.join(', ')}.`
                          : 'Bad, but no check found an issue.'}
                        {one.note !== null && ` ${visible(one.note)}`}
                      </p>
                    </li>
                  ))}
                </ul>
              )}
            </div>
          )
        }
      </Shown>
    </Card>
  )
}

interface Counts {
  good_passed: number
  good_with_issues: number
  bad_passed: number
  bad_with_issues: number
}

const compared = ({ good_passed, good_with_issues, bad_passed, bad_with_issues }: Counts): number =>
  good_passed + good_with_issues + bad_passed + bad_with_issues
