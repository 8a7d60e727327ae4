// What became of deliveries: of all those of an event, and of one.
import type { Delivery, DeliveryCounts } from '@runyard/sdk'
import { count } from '../amounts.ts'
import { Tag } from '../Tag.tsx'
import style from './DeliveryTags.module.css'

export function DeliveryTags({ of: { total, delivered, retrying, dead } }: { of: DeliveryCounts }) {
  if (total === 0) return <span className="dim small">none</span>
  const waiting = total - delivered - retrying - dead
  return (
    <span className={style.tags}>
      {dead > 0 && <Tag tone="fail">{count(dead)} given up</Tag>}
      {retrying > 0 && <Tag tone="wait">{count(retrying)} tried again</Tag>}
      {waiting > 0 && <Tag>{count(waiting)} to be sent</Tag>}
      {delivered > 0 && <Tag>{count(delivered)} delivered</Tag>}
    </span>
  )
}

const words: Record<Delivery['status'], { says: string; tone?: 'wait' | 'fail' }> = {
  new: { says: 'to be sent' },
  retrying: { says: 'tried again', tone: 'wait' },
  replaying: { says: 'sent again', tone: 'wait' },
  delivered: { says: 'delivered' },
  dead: { says: 'given up', tone: 'fail' },
}

export const deliveryWord = (status: Delivery['status']): string => words[status].says

export function DeliveryTag({ status }: { status: Delivery['status'] }) {
  const { says, tone } = words[status]
  return <Tag tone={tone}>{says}</Tag>
}
