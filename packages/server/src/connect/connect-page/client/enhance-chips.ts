/**
 * Scrolls the category chips with the mouse wheel, and makes them one tab stop: the arrow keys, Home and End move between
 * them.
 */
export function enhanceChips(main: HTMLElement): void {
  const chipList = main.querySelector<HTMLElement>('.chips')
  if (chipList === null) return
  const chips = [...chipList.querySelectorAll<HTMLElement>('.chip')]
  const isRightToLeft = () => getComputedStyle(chipList).direction === 'rtl'
  chipList.setAttribute('role', 'toolbar')
  main.querySelector('[data-skip]')?.remove()
  setTabStop(chips, chips.find((chip) => chip.matches('[aria-current]')) ?? chips[0])
  chipList.addEventListener(
    'wheel',
    (event) => {
      if (event.deltaX !== 0 || event.shiftKey || event.ctrlKey) return
      const previousScroll = chipList.scrollLeft
      chipList.scrollLeft += isRightToLeft() ? -event.deltaY : event.deltaY
      // At either end, let the wheel scroll the page.
      if (chipList.scrollLeft !== previousScroll) event.preventDefault()
    },
    { passive: false },
  )
  chipList.addEventListener('focusin', ({ target }) => setTabStop(chips, target))
  chipList.addEventListener('keydown', (event) => {
    const index = chips.indexOf(document.activeElement as HTMLElement)
    const forward = isRightToLeft() ? -1 : 1
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: index - forward,
      ArrowRight: index + forward,
      Home: 0,
      End: chips.length - 1,
    }
    const target = targets[event.key]
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    chips[target]?.focus()
  })
}

/** Makes one chip the tab stop of all. */
export function setTabStop(chips: readonly HTMLElement[], current: unknown): void {
  for (const chip of chips) chip.tabIndex = chip === current ? 0 : -1
}
