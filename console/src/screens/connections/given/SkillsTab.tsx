// Skills of the team: folders that agents read when they need them, with their versions.
import type { Skill } from '@runyard/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { runyard } from '../../../app/client.ts'
import { saveBlob } from '../../../parts/files/saveFile.ts'
import { Time } from '../../../parts/Time.tsx'
import { toastError } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { skillsQuery } from '../../../queries/given.ts'
import style from '../ConnectionsScreen.module.css'
import { GivenList } from './GivenList.tsx'
import { RemoveGiven } from './RemoveGiven.tsx'
import { RowMenu } from './RowMenu.tsx'
import { SkillDialog } from './SkillDialog.tsx'
import { SkillFiles } from './SkillFiles.tsx'
import type { TabProps } from './tabProps.ts'

const route = getRouteApi('/frame/connections')

export function SkillsTab({ add, unable, close }: TabProps) {
  const { search, edit, remove, new: making } = route.useSearch()
  const skills = useQuery(skillsQuery(search === undefined ? {} : { search }))
  const find = (id: string | undefined) => skills.data?.skills.find((one) => one.id === id)
  const [shown, removed] = [find(edit), find(remove)]
  const download = useMutation({
    mutationFn: async ({ id, name }: Skill) => saveBlob((await runyard.skills.download(id)).blob, `${name}.zip`),
    onError: (error) => toastError('The skill could not be downloaded', error),
  })
  const row = (skill: Skill): ReactNode => (
    <tr key={skill.id}>
      <td>
        <span className={style.name}>{skill.name}</span>
        <div className={style.detail}>{visible(skill.description)}</div>
      </td>
      <td data-label="Version">{skill.version}</td>
      <td data-label="Changed">
        <Time at={skill.updated_at} />
      </td>
      <RowMenu
        id={skill.id}
        name={skill.name}
        unable={unable}
        change="Files…"
        more={[
          {
            label: 'Download',
            icon: 'download',
            onSelect: () => download.mutate(skill),
          },
        ]}
      />
    </tr>
  )
  return (
    <>
      <GivenList
        kind="skills"
        noun="skill"
        operation="listSkills"
        hint="Name or description"
        query={skills}
        columns={['Skill', 'Version', 'Changed']}
        rows={(page) => page.skills.map(row)}
        empty={{
          icon: 'book',
          title: 'There are no skills',
          says: 'A skill is a folder with a SKILL.md that says what it is for. Agents read it when they need it, and run its scripts.',
          action: add,
          command: 'runyard call listSkills',
        }}
      />
      {making === 'skill' && <SkillDialog onClose={close} />}
      {shown && <SkillFiles skill={shown} onClose={close} />}
      {removed && <RemoveGiven kind="skills" noun="skill" one={removed} onClose={close} />}
    </>
  )
}
