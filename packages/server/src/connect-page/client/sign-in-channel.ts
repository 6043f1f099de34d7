/**
 * The channel on which the last page of a sign-in notifies the other pages in this browser. Undefined where the browser
 * blocks it, for example Firefox with third-party storage disabled; polling then finds the result later.
 */
export function openBroadcastChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel('linchpin:attempt')
  } catch {
    return undefined
  }
}

/** Ends a sign-in window: notifies the page that opened it, and closes the window where the browser allows that. */
export function closeWindow(main: HTMLElement): void {
  const { attempt } = main.dataset
  const channel = openBroadcastChannel()
  if (attempt !== undefined) channel?.postMessage(attempt)
  channel?.close()
  close()
}
