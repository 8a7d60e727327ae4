// An address of the page that leads nowhere.
import { ButtonLink } from '../parts/Button.tsx'
import { Empty } from '../parts/states.tsx'
import { Bar } from './Bar.tsx'

export function NoSuchScreen() {
  return (
    <>
      <Bar title="Not found" />
      <Empty icon="search" title="There is nothing at this address" action={<ButtonLink to="/">Overview</ButtonLink>}>
        The link may be old, or a letter is missing. Runs, agents and requests are found with Ctrl K.
      </Empty>
    </>
  )
}
