import { openBroadcastChannel } from './broadcast-channel.ts'

/** The end of a window that went through sign-in: tells the page it came from, and closes itself where browsers let it. */
export function closeWindow(main: HTMLElement): void {
  const { attempt } = main.dataset
  const channel = openBroadcastChannel()
  if (attempt !== undefined) channel?.postMessage(attempt)
  channel?.close()
  close()
}
