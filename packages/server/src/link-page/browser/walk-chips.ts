/** Lets a wheel and arrow keys go along the line of categories, which is wider than its place. */
export function walkChips(main: HTMLElement): void {
  const line = main.querySelector<HTMLElement>('.chips')
  if (line === null) return
  line.addEventListener(
    'wheel',
    (event) => {
      if (event.deltaX !== 0 || event.shiftKey || event.ctrlKey) return
      const before = line.scrollLeft
      const step = getComputedStyle(line).direction === 'rtl' ? -event.deltaY : event.deltaY
      line.scrollLeft += step
      // At its end, the wheel is for the page.
      if (line.scrollLeft !== before) event.preventDefault()
    },
    { passive: false },
  )
  line.addEventListener('keydown', (event) => {
    const isBack = getComputedStyle(line).direction === 'rtl'
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: isBack ? 1 : -1,
      ArrowRight: isBack ? -1 : 1,
    }
    const chips = [...line.querySelectorAll<HTMLElement>('.chip')]
    const step = steps[event.key]
    const at = chips.indexOf(document.activeElement as HTMLElement)
    if (step === undefined || at < 0) return
    event.preventDefault()
    chips[at + step]?.focus()
  })
}
