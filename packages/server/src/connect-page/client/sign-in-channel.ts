/**
 * The channel by which the last page of a sign-in tells pages of this browser that there is news. Undefined where the
 * browser gives none, such as a Firefox that allows other sites no storage: asking the server tells the same, later.
 */
export function openBroadcastChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel('linchpin:attempt')
  } catch {
    return undefined
  }
}

/** The end of a window that went through sign-in: tells the page it came from, and closes itself where browsers let it. */
export function closeWindow(main: HTMLElement): void {
  const { attempt } = main.dataset
  const channel = openBroadcastChannel()
  if (attempt !== undefined) channel?.postMessage(attempt)
  channel?.close()
  close()
}
