// Starting a run from everywhere: with the key n, from the palette, and from whatever calls openStartRun.
import { lazy, Suspense } from 'react'
import { useCommands } from './commands.ts'
import { useKeys } from './keys.ts'
import { useSession } from './session.tsx'
import { openStartRun, useStartRunWish } from './startingRun.ts'

const StartRun = lazy(() => import('../screens/start/StartRun.tsx'))

export function StartRunHost() {
  const { unable } = useSession()
  const wish = useStartRunWish()
  const whyNot = unable('runs:write')
  useKeys([
    { keys: 'n', says: 'Start a run', where: 'Everywhere', run: () => whyNot === undefined && openStartRun({}) },
  ])
  useCommands([
    {
      id: 'start-run',
      label: 'Start a run',
      icon: 'plus',
      words: 'new run agent',
      unable: whyNot,
      run: () => openStartRun({}),
    },
  ])
  return <Suspense>{wish && <StartRun wish={wish} />}</Suspense>
}
