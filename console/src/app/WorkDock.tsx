// The foot of every screen while there is long work. What draws it comes with the first work: most pages have none.
import { lazy, Suspense, useEffect } from 'react'
import type { WorkKind } from './longWork.ts'
import { useSession } from './session.tsx'
import { resumeWork, useWorks } from './work.ts'
import style from './WorkDock.module.css'
import { workKinds } from './workKinds.ts'

const WorkRow = lazy(() => import('./WorkRow.tsx'))

export default function WorkDock() {
  const { profile } = useSession()
  const works = useWorks()
  useEffect(() => resumeWork(profile.id), [profile.id])
  if (works.length === 0) return null
  return (
    <section className={style.dock} aria-label="Long work">
      <Suspense>
        {works.map((work) => (
          <WorkRow key={work.id} work={work} kind={(workKinds as Record<string, WorkKind>)[work.kind]} />
        ))}
      </Suspense>
    </section>
  )
}
