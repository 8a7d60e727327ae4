// The head of a run: its status and title, what can be done with it, why it is where it is, and its facts.
import type { GetRunAnswer } from '@runyard/sdk'
import { StatusPill } from '../../../parts/Status.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { Actions } from './Actions.tsx'
import { Facts } from './Facts.tsx'
import style from './Header.module.css'
import { WhyLine } from './WhyLine.tsx'

type Run = GetRunAnswer['run']

/** `activeMs`: how long it was at work, once that is known. */
export function Header({ run, activeMs }: { run: Run; activeMs: number | undefined }) {
  return (
    <section className={style.head} aria-label="The run">
      <div className={style.line}>
        <StatusPill run={run} />
        <h1 className={style.title} title={run.title}>
          {visible(run.title)}
        </h1>
        <Actions run={run} />
      </div>
      <WhyLine run={run} />
      <Facts run={run} activeMs={activeMs} />
    </section>
  )
}
