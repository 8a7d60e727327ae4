// What the address of an agent holds: the open tab, the build in the editor, the two that are compared, and what is open beside it.
import { chosen, oneOf, text, type RawSearch } from '../../app/search.ts'

export const agentTabs = [
  'procedure',
  'builds',
  'schedules',
  'memory',
  'rubrics',
  'replays',
  'suggestions',
  'triggers',
  'runs',
] as const
export const deliveryStates = ['waiting', 'started', 'filtered', 'repeated', 'dropped', 'failed'] as const
export const procedureViews = ['source', 'rendered', 'beside'] as const
export const procedurePanels = ['builds', 'builder', 'settings'] as const

export type AgentTab = (typeof agentTabs)[number]

export const readAgentSearch = (raw: RawSearch) =>
  chosen({
    tab: oneOf(agentTabs, raw['tab']),
    /** The build in the editor, or the newer one of two that are compared. */
    build: text(raw['build']),
    /** The build that it is compared with; the live one unless given. */
    with: text(raw['with']),
    /** The memory file that is open. */
    file: text(raw['file']),
    view: oneOf(procedureViews, raw['view']),
    panel: oneOf(procedurePanels, raw['panel']),
    /** The schedule whose form is open; `new` for one that is to be made. */
    schedule: text(raw['schedule']),
    /** The trigger whose form is open; `new` for one that is to be made, `queue` for the queue that it works. */
    trigger: text(raw['trigger']),
    /** The replay that is open. */
    replay: text(raw['replay']),
    /** The suggestion that is open. */
    suggestion: text(raw['suggestion']),
    /** The trigger whose deliveries are shown, and which of them. */
    deliveries: text(raw['deliveries']),
    delivered: oneOf(deliveryStates, raw['delivered']),
  })

export type AgentSearch = ReturnType<typeof readAgentSearch>
