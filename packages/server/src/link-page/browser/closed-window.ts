import { openNews } from './news.ts'

/** The end of a window that went through sign-in: tells the page it came from, and closes itself where browsers let it. */
export function endWindow(main: HTMLElement): void {
  const { attempt } = main.dataset
  const news = openNews()
  if (attempt !== undefined) news?.postMessage(attempt)
  news?.close()
  close()
}
