// The files of a skill in its newest version.
import type { Skill } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Dialog } from '../../../parts/Dialog.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { skillQuery } from '../../../queries/given.ts'
import { bytes } from '../../../parts/amounts.ts'

export function SkillFiles({ skill, onClose }: { skill: Skill; onClose: () => void }) {
  const whole = useQuery(skillQuery(skill.id))
  return (
    <Dialog isOpen onClose={onClose} title={`${skill.name}, version ${skill.version}`}>
      <Shown query={whole} what="files" rows={4}>
        {({ files }) => (
          <ul>
            {files.map((file) => (
              <li key={file.path}>
                <code>{visible(file.path)}</code> <span className="dim">{bytes(file.size_bytes)}</span>{' '}
                {file.is_executable && <Tag>can be run</Tag>}
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </Dialog>
  )
}
