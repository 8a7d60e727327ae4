// Saved views: the filters of lists that members keep for themselves or share with their team.
import { feature } from '../../kit/feature.ts'
import { createView } from './createView.ts'
import { deleteView } from './deleteView.ts'
import { getView } from './getView.ts'
import { listViews } from './listViews.ts'
import { updateView } from './updateView.ts'
import { view } from './view.ts'

export const views = feature({
  name: 'views',
  about: 'Saved views: the filters of lists, for a member or for the whole team.',
  operations: [listViews, createView, getView, updateView, deleteView],
  resources: [view],
})
