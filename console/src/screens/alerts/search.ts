// What the address of the alerts holds: the tab, the incident that is shown, and what is open.
import { chosen, oneOf, text, whole, type RawSearch } from '../../app/search.ts'

export const alertTabs = ['incidents', 'rules'] as const

export const readAlertsSearch = (raw: RawSearch) =>
  chosen({
    tab: oneOf(alertTabs, raw['tab']),
    state: oneOf(['open', 'closed'], raw['state']),
    incident: text(raw['incident'])?.slice(0, 100),
    page: whole(raw['page']),
    /** `new`, or the id of the rule that is changed. */
    edit: text(raw['edit'])?.slice(0, 100),
    remove: text(raw['remove'])?.slice(0, 100),
  })

export type AlertsSearch = ReturnType<typeof readAlertsSearch>
