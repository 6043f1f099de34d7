/** Lets a wheel and arrow keys go along the line of categories, which is wider than its place. */
export function addChipKeyboardNav(main: HTMLElement): void {
  const chipList = main.querySelector<HTMLElement>('.chips')
  if (chipList === null) return
  chipList.addEventListener(
    'wheel',
    (event) => {
      if (event.deltaX !== 0 || event.shiftKey || event.ctrlKey) return
      const previousScroll = chipList.scrollLeft
      const step = getComputedStyle(chipList).direction === 'rtl' ? -event.deltaY : event.deltaY
      chipList.scrollLeft += step
      // At its end, the wheel is for the page.
      if (chipList.scrollLeft !== previousScroll) event.preventDefault()
    },
    { passive: false },
  )
  chipList.addEventListener('keydown', (event) => {
    const isRightToLeft = getComputedStyle(chipList).direction === 'rtl'
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: isRightToLeft ? 1 : -1,
      ArrowRight: isRightToLeft ? -1 : 1,
    }
    const chips = [...chipList.querySelectorAll<HTMLElement>('.chip')]
    const step = steps[event.key]
    const index = chips.indexOf(document.activeElement as HTMLElement)
    if (step === undefined || index < 0) return
    event.preventDefault()
    chips[index + step]?.focus()
  })
}
