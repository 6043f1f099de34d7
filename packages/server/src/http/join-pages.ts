import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

/**
 * One JSON text of the items of all pages: a string if there is one page, otherwise a stream that lets other requests run
 * between pages. An error after the first pages destroys the stream and with it the socket, so that clients never mistake a
 * truncated response for a complete one.
 *
 * @param pages items as JSON; no page is empty
 * @param open what precedes the items, and `close` what follows them
 */
export async function joinPages(
  pages: AsyncGenerator<readonly string[]>,
  open = '[',
  close = ']',
): Promise<string | Readable> {
  const first = await pages.next()
  const second = first.done ? first : await pages.next()
  const start = `${open}${first.done ? '' : first.value.join()}`
  if (second.done) return start + close
  return Readable.from(continuePages(start, second.value, pages, close), { objectMode: false })
}

async function* continuePages(
  start: string,
  second: readonly string[],
  pages: AsyncGenerator<readonly string[]>,
  close: string,
): AsyncGenerator<string> {
  yield start
  yield `,${second.join()}`
  for await (const items of pages) {
    await setImmediate()
    yield `,${items.join()}`
  }
  yield close
}
