// Whether everything that can be pressed can also be reached: scrolled into sight, and not under anything else.
import type { Page } from 'playwright-core'

/** What depends on the size of the window or on its theme is drawn anew in the frames after a change. */
export const drawn = (page: Page): Promise<void> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))')

/** A line for each control whose middle cannot be pressed, and one if the page scrolls sideways. */
export const outOfReach = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth
    const problems = wide > 0 ? ['the page is ' + wide + ' px too wide'] : []
    const controls = 'button, a[href], input, select, textarea, [role=option], [role=treeitem], [tabindex="0"]'
    // what an open dialog covers is meant to be out of reach
    const open = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')].at(-1)
    for (const control of (open ?? document).querySelectorAll(controls)) {
      // what only screen readers and skipping need is not to be seen
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
      if (control.closest('[aria-hidden=true], [inert]') || control.getAttribute('href') === '#screen') continue
      control.scrollIntoView({ block: 'center', inline: 'center' })
      // nobody can scroll what hides its overflow
      for (let outer = control.parentElement; outer; outer = outer.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(outer)
        if (overflowX === 'hidden') outer.scrollLeft = 0
        if (overflowY === 'hidden') outer.scrollTop = 0
      }
      // the first line of a link that wraps
      const [box] = control.getClientRects()
      if (!box || box.width < 2 || box.height < 2) continue
      const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)]
      const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)]
      const [x, y] = [(left + right) / 2, (top + bottom) / 2]
      const isInSight = right - left > Math.min(box.width, innerWidth) / 2 && bottom - top > Math.min(box.height, innerHeight) / 2
      const hit = isInSight ? document.elementFromPoint(x, y) : null
      if (hit && (control.contains(hit) || control.closest('label')?.contains(hit))) continue
      const name = control.getAttribute('aria-label') ?? control.textContent.trim().slice(0, 60)
      problems.push(control.tagName.toLowerCase() + ' "' + name + '" at ' + Math.round(x) + ',' + Math.round(y) + ' is ' + (hit ? 'under ' + hit.tagName.toLowerCase() + '.' + hit.className : 'out of sight'))
    }
    return problems
  })()`)
