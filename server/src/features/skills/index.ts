// Skills: folders of instructions and scripts that agents read when they need them.
import { feature } from '../../kit/feature.ts'
import { createSkill } from './createSkill.ts'
import { deleteSkill } from './deleteSkill.ts'
import { deleteSkillFile } from './deleteSkillFile.ts'
import { downloadSkill } from './downloadSkill.ts'
import { getSkill } from './getSkill.ts'
import { getSkillFile } from './getSkillFile.ts'
import { listSkillDependents } from './listSkillDependents.ts'
import { listSkills } from './listSkills.ts'
import { listSkillVersions } from './listSkillVersions.ts'
import { offeredSkills } from './offeredSkills.ts'
import { putSkillFile } from './putSkillFile.ts'
import { skillResource } from './skill.ts'
import { laidSkills, skillsInBuilds, skillTools } from './skillsInRuns.ts'
import { uploadSkill } from './uploadSkill.ts'

export const skills = feature({
  name: 'skills',
  about: 'Folders of instructions and scripts that agents read when they need them.',
  operations: [
    listSkills,
    createSkill,
    uploadSkill,
    getSkill,
    listSkillVersions,
    getSkillFile,
    putSkillFile,
    deleteSkillFile,
    downloadSkill,
    deleteSkill,
    listSkillDependents,
  ],
  resources: [skillResource],
  namedInBuilds: [skillsInBuilds],
  offers: [offeredSkills],
  laidFiles: laidSkills,
  givenTools: skillTools,
})
