// Draws a page for its writer: what is wrong with it is said in sentences.
import { CannotRender } from '../../base/expression/text.ts'
import type { RenderedPage } from '../../base/page/renderPage.ts'
import { TooManySteps } from '../../base/stepBudget.ts'

/** `error`: the page cannot be shown at all. Otherwise `problems` are the values that could not be computed. */
export function tryPage(draw: () => RenderedPage): { page: RenderedPage; problems: string[] } | { error: string } {
  try {
    const page = draw()
    return { page, problems: page.problems.map(({ line, message }) => `line ${line}: ${message}`) }
  } catch (error) {
    if (error instanceof CannotRender) return { error: error.message }
    if (!(error instanceof TooManySteps)) throw error
    return { error: 'The page takes too long to draw. Let the steps give less data, or show fewer rows.' }
  }
}
