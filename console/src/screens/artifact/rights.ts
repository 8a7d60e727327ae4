// Why somebody cannot change an artifact that they can read.

export const notEditor = (canEdit: boolean): string | undefined =>
  canEdit ? undefined : 'Only its creator may change this artifact. They can let the team edit it.'

export const notCreator = (isCreator: boolean): string | undefined =>
  isCreator ? undefined : 'Only the creator of this artifact may do this.'
