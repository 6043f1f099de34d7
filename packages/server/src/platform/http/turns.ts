/** Waits for a turn of the event loop; undefined if this one is free. */
export type TakeTurn = () => Promise<void> | undefined

/**
 * Shares the turns of the event loop between long responses: each makes a part of its text, and then it is the turn of the next.
 * Requests that arrive together would otherwise add their parts up in one turn.
 */
export function createTurns(): TakeTurn {
  const waiting: (() => void)[] = []
  let isTaken = false
  const passOn = () => {
    const next = waiting.shift()
    isTaken = next !== undefined
    if (next === undefined) return
    // Callbacks that are scheduled now run in the next turn.
    setImmediate(passOn)
    next()
  }
  return () => {
    if (isTaken) return new Promise((resolve) => waiting.push(resolve))
    isTaken = true
    setImmediate(passOn)
    return undefined
  }
}
