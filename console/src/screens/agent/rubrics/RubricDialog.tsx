// Makes a rubric, or replaces one: results that exist keep the words that they were judged by.
import type { EvalRubric } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { Field, Input, Select, TextArea } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { brief } from '../../agents/brief.ts'

interface RubricDialogProps {
  agentId: string
  /** Undefined: a new one. */
  rubric: EvalRubric | undefined
  onClose: () => void
}

const severities = [
  { value: 'critical', label: 'Critical' },
  { value: 'medium', label: 'Medium' },
  { value: 'low', label: 'Low' },
]

const titleMin = 3
const descriptionMin = 20

export function RubricDialog({ agentId, rubric, onClose }: RubricDialogProps) {
  const queries = useQueryClient()
  const [title, setTitle] = useState(rubric?.title ?? '')
  const [description, setDescription] = useState(rubric?.description ?? '')
  const [severity, setSeverity] = useState<EvalRubric['severity']>(rubric?.severity ?? 'medium')
  const save = useMutation({
    mutationFn: () => {
      const input = { title: title.trim(), description: description.trim(), severity }
      return rubric
        ? runyard.evaluations.updateRubric(agentId, rubric.id, input)
        : runyard.evaluations.createRubric(agentId, input)
    },
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['agent', agentId, 'rubrics'] })
      toast(`Saved “${brief(title.trim())}”`)
      onClose()
    },
  })
  const unable =
    title.trim().length < titleMin
      ? 'The title needs three letters at least.'
      : description.trim().length < descriptionMin
        ? 'Say in a whole sentence what must be true of a run.'
        : undefined
  return (
    <FormDialog
      title={rubric ? 'Change the rubric' : 'New rubric'}
      onClose={onClose}
      verb="Save"
      unable={unable}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
    >
      <Field label="Title" isRequired>
        <Input
          value={title}
          maxLength={80}
          placeholder="Stays polite"
          onChange={(event) => setTitle(event.target.value)}
        />
      </Field>
      <Field label="What must be true of a run" hint="The judge reads this text. 20 to 400 characters." isRequired>
        <TextArea
          value={description}
          rows={4}
          maxLength={400}
          placeholder="Every message to the customer is friendly, and none blames them for the problem."
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
      <Field label="How bad it is when a run does not pass">
        <Select
          options={severities}
          value={severity}
          onChange={(event) => setSeverity(event.target.value as EvalRubric['severity'])}
        />
      </Field>
    </FormDialog>
  )
}
