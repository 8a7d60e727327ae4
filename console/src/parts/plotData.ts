// What a plot is made of, and where its drawing stands in its box.

/** Grey is good news: `done` is grey, colour means alive, waiting or broken. */
export type PlotColor = 'done' | 'failed' | 'waiting' | 'running' | 'line'

export interface PlotSeries {
  /** `completed` */
  label: string
  color: PlotColor
  /** One for each bucket. */
  values: number[]
}

/** The space around the drawing. The scale stands on the left. */
export const margins = (hasScale: boolean) => ({ left: hasScale ? 44 : 0, right: 0, top: hasScale ? 8 : 2, bottom: 24 })
