// A message of an artifact's chat: what a person asked for, or the answer to it.
import { part, type Part } from '../../base/db.ts'
import { beginningOf, listed, longObject, longText, truncatedField } from '../../kit/pageBytes.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

export const SelectedElement = Type.Object(
  {
    selector: Type.String({ maxLength: 2000, examples: ['main > section:nth-child(2) > h2'] }),
    label: Type.String({ maxLength: 500, examples: ['Runs by hour'] }),
    tag_name: Type.String({ maxLength: 100, examples: ['h2'] }),
    text: Type.Optional(Type.String({ maxLength: 10_000 })),
    outer_html: Type.String({ maxLength: 50_000, examples: ['<h2>Runs by hour</h2>'] }),
  },
  { description: 'The part of the page that the message is about.' },
)

export const MessageText = Type.String({ minLength: 1, maxLength: 10_000 })

export const ArtifactMessage = named(
  'ArtifactMessage',
  Type.Object({
    id: Id,
    artifact_id: Id,
    author_user_id: nullable(Id),
    role: oneOf(['user', 'assistant']),
    content: Type.String(),
    created_at: Time,
    revision_id: nullable(Id),
    selected_element: nullable(SelectedElement),
    truncated: truncatedField,
  }),
)
export type ArtifactMessage = Static<typeof ArtifactMessage>

const columnsWith = (content: Part, selectedElement: Part): Part => part`
  artifact_messages.id, artifact_messages.artifact_id, artifact_messages.author_user_id, artifact_messages.role, ${content} as content,
  artifact_messages.created_at, artifact_messages.revision_id, ${selectedElement} as selected_element`

const content = longText(part`artifact_messages.content`)
const element = part`artifact_messages.selected_element`
const selectedElement = longObject(
  element,
  part`${element} || jsonb_strip_nulls(jsonb_build_object('outer_html', ${beginningOf(part`${element} ->> 'outer_html'`)},
    'text', ${beginningOf(part`${element} ->> 'text'`)}))`,
)

export const messageColumns = columnsWith(content.whole, selectedElement.whole)

/** A list of messages, without its conditions and order. */
export const messageList = {
  table: part`artifact_messages`,
  columns: columnsWith(listed(content), listed(selectedElement)),
  long: [content, selectedElement],
}
