// Uploads a file of the team, or renames one.
import type { TeamFile } from '@runyard/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { Field, Input } from '../../../parts/Field.tsx'
import { onThisOrigin } from '../../../parts/files/saveFile.ts'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'

interface FileDialogProps {
  file?: TeamFile
  onClose: () => void
  onSaved: () => void
}

export function FileDialog({ file, onClose, onSaved }: FileDialogProps) {
  const [chosen, setChosen] = useState<File | undefined>()
  const [name, setName] = useState(file?.name ?? '')
  const save = useMutation({
    mutationFn: async () => {
      if (file) await runyard.teamFiles.update(file.id, { name })
      else if (chosen) {
        const { upload_url } = await runyard.teamFiles.createUploadUrl({ name })
        const sent = await fetch(onThisOrigin(upload_url), { method: 'PUT', body: chosen })
        if (!sent.ok) throw new Error(((await sent.json()) as { message: string }).message)
      }
    },
    onSuccess: () => {
      toast(`${name} is saved`)
      onClose()
      onSaved()
    },
  })
  const unable = !file && !chosen ? 'Choose a file.' : name.trim() === '' ? 'The file needs a name.' : undefined
  return (
    <FormDialog
      title={file ? `Rename ${visible(file.name)}` : 'New file'}
      verb={file ? 'Rename' : 'Upload'}
      unable={unable}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      {!file && (
        <Field label="File" hint="Up to 1 GiB." isRequired>
          <Input
            type="file"
            onChange={(event) => {
              const [first] = event.target.files ?? []
              setChosen(first)
              if (first) setName((now) => (now === '' ? first.name : now))
            }}
          />
        </Field>
      )}
      <Field label="Name" hint="Its path in /files of a sandbox. A file of the same name is replaced." isRequired>
        <Input value={name} maxLength={512} spellCheck={false} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
