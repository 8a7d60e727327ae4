// What the address of a run holds: the open tab, the selected step, how the waterfall is looked at, the open file, the run to compare with.
import { chosen, oneOf, text, whole, type RawSearch } from '../../app/search.ts'

export const runTabs = ['timeline', 'messages', 'report', 'evaluation', 'events', 'files', 'compare', 'raw'] as const
export type RunTab = (typeof runTabs)[number]

export const stepTabs = ['ledger', 'arguments', 'result', 'raw'] as const
export type StepTab = (typeof stepTabs)[number]

export const readRunSearch = (raw: RawSearch) =>
  chosen({
    tab: oneOf(runTabs, raw['tab']),
    step: whole(raw['step']),
    detail: oneOf(stepTabs, raw['detail']),
    /** Waits are folded unless the address says otherwise. */
    waits: oneOf(['whole'], raw['waits']),
    /** What of the axis is in sight, in percent: `12.5-40`. */
    view: text(raw['view']),
    /** The steps whose sub-runs are unfolded: `9` or `9,12`. */
    open: text(raw['open']),
    picture: whole(raw['picture']),
    file: text(raw['file']),
    with: text(raw['with']),
    /** Of the events: the first is 1 and is left out. */
    page: whole(raw['page']),
  })

export type RunSearch = ReturnType<typeof readRunSearch>
