// The actions of a row: change it where that is possible, and remove it.
import { getRouteApi } from '@tanstack/react-router'
import { Button } from '../../../parts/Button.tsx'
import { Menu, type MenuItem } from '../../../parts/Menu.tsx'
import { visible } from '../../../parts/visibleText.ts'
import style from './given.module.css'

const route = getRouteApi('/frame/connections')

interface RowMenuProps {
  id: string
  name: string
  unable: string | undefined
  /** What the first action is called; undefined: there is none. */
  change?: string
  more?: MenuItem[]
}

export function RowMenu({ id, name, unable, change, more }: RowMenuProps) {
  const navigate = route.useNavigate()
  const open = (part: { edit?: string; remove?: string }) => void navigate({ search: (now) => ({ ...now, ...part }) })
  const label = `Actions of ${visible(name)}`
  return (
    <td className={style.menu}>
      <Menu
        label={label}
        trigger={<Button kind="quiet" icon="more" aria-label={label} />}
        items={[
          ...(change === undefined ? [] : [{ label: change, unable, onSelect: () => open({ edit: id }) }]),
          ...(more ?? []),
          { label: 'Remove…', icon: 'trash' as const, unable, onSelect: () => open({ remove: id }) },
        ]}
      />
    </td>
  )
}
