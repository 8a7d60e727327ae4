// Makes a skill, or its next version: from a zip archive, or from the text of its SKILL.md.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { Field, Input, TextArea } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'

/** Reads the file as a data URL, which ends with its base64. */
async function base64Of(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener('load', () => resolve((reader.result as string).replace(/^[^,]*,/, '')))
  reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read.')))
  reader.readAsDataURL(file)
  return promise
}

const upload = async (archive: File) => runyard.skills.upload({ archive: await base64Of(archive) })

const template = '---\nname: \ndescription: \n---\n'

export function SkillDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [archive, setArchive] = useState<File | undefined>()
  const [content, setContent] = useState(template)
  const save = useMutation({
    mutationFn: () => (archive ? upload(archive) : runyard.skills.create({ content })),
    onSuccess: async ({ skill }) => {
      toast(`${skill.name} has version ${skill.version}`)
      onClose()
      await queries.invalidateQueries({ queryKey: ['given', 'skills'] })
    },
  })
  const unable = archive || content.trim() !== template.trim() ? undefined : 'Choose an archive, or write the SKILL.md.'
  return (
    <FormDialog
      title="New skill"
      verb="Save"
      unable={unable}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
      onClose={onClose}
      width="wide"
    >
      <Field label="Zip archive" hint="With SKILL.md at its top or in its only folder, up to 10 MiB.">
        <Input type="file" accept=".zip,application/zip" onChange={(event) => setArchive(event.target.files?.[0])} />
      </Field>
      {!archive && (
        <Field label="Or the text of SKILL.md" hint="A skill of the same name gets its next version.">
          <TextArea rows={12} value={content} spellCheck={false} onChange={(event) => setContent(event.target.value)} />
        </Field>
      )}
    </FormDialog>
  )
}
