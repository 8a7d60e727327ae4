// A total as it is shown: lists whose rows pile up are counted only so far beyond the page.
import { count } from './amounts.ts'

const countedAhead = 10_000

/** `page` counts from 0. */
export const shownTotal = (total: number, page: number, size: number): string =>
  total === (page + 1) * size + countedAhead ? `more than ${count(total - 1)}` : count(total)
