// The attributes of the elements that are drawn on the server.
import type { WidgetName } from './pageTemplate.ts'

const chart = ['rows', 'x', 'y', 'series', 'title', 'kind', 'unit', 'colors', 'height', 'limit', 'empty']

export const widgetAttributes: Record<WidgetName, readonly string[]> = {
  'big-number': ['value', 'label', 'unit', 'kind', 'change', 'before', 'good'],
  'bar-chart': [...chart, 'stacked', 'direction'],
  'line-chart': chart,
  'area-chart': [...chart, 'stacked'],
  'data-table': ['rows', 'columns', 'title', 'limit', 'empty'],
}
