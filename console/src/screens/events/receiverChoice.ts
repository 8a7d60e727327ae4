// A receiver among those that one can choose: its URL without what all URLs begin with.
import type { DeliveryTarget } from '@runyard/sdk'
import { visible } from '../../parts/visibleText.ts'

export const receiverChoice = ({ id, url }: DeliveryTarget) => ({
  value: id,
  label: visible(url.replace(/^https?:\/\//, '')).slice(0, 80),
})
