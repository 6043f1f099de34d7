const EVERY_MS = 2_000

let timer: ReturnType<typeof setInterval> | undefined
let known: ReadonlySet<string> | undefined

/** Refreshes a page that follows a log while it is visible and no one types. Call it for each page that is shown. */
export function followLog(refresh: () => void): void {
  clearInterval(timer)
  known = find() === null ? undefined : listRows()
  if (known === undefined) return
  timer = setInterval(() => {
    const isTyping = document.activeElement?.matches('input, select, textarea') === true
    if (!document.hidden && !isTyping && find() !== null) refresh()
  }, EVERY_MS)
}

/** Says how many rows are new, in words that the page has. Call it after each refresh. */
export function announceRows(): void {
  const status = find()
  if (status === null || known === undefined) return
  const rows = listRows()
  const count = [...rows].filter((row) => known?.has(row) === false).length
  known = rows
  if (count > 0)
    status.textContent = (status.dataset.follow ?? '').replace('{count}', String(count))
}

function find(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-follow]')
}

function listRows(): ReadonlySet<string> {
  return new Set([...document.querySelectorAll('tr[id]')].map((row) => row.id))
}
