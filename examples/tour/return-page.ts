import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { escapeHtml, PAGE_HEADERS, renderPage } from '../render-page.ts'

/** The product's own page that people return to after signing in. */
export interface ReturnPage {
  /** The value of `redirectURL`. */
  readonly url: string
  /** Resolves to the first browser that returns; its request waits for `show`. Rejects when `signal` aborts. */
  waitForReturn(signal: AbortSignal): Promise<ReturnVisit>
  /** Closes the page after pending responses. */
  close(): Promise<void>
}

/** A browser that has returned. */
export interface ReturnVisit {
  /** The query parameters: `success`, `confirmToken`, `integrationAccountId`, `error` … */
  readonly values: Readonly<Record<string, string>>
  /** Responds with a page that shows the outcome. */
  show(title: string, sentence: string): void
}

/** Opens the page on a free port of 127.0.0.1. */
export async function openReturnPage(): Promise<ReturnPage> {
  const firstReturn = Promise.withResolvers<ReturnVisit>()
  let hasReturned = false
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://product')
    if (url.pathname !== PATH || request.method !== 'GET')
      return send(response, 404, 'There is nothing here', '')
    if (hasReturned)
      return send(response, 400, 'This connection is already complete', 'You can close this page.')
    hasReturned = true
    firstReturn.resolve({
      values: Object.fromEntries(url.searchParams),
      show: (title, sentence) => send(response, 200, title, sentence),
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    waitForReturn(signal) {
      const aborted = Promise.withResolvers<never>()
      const rejectAborted = () => aborted.reject(signal.reason)
      if (signal.aborted) rejectAborted()
      else signal.addEventListener('abort', rejectAborted, { once: true })
      return Promise.race([firstReturn.promise, aborted.promise])
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Pending responses get a moment; a connection that was never answered must not delay the exit.
      setTimeout(() => server.closeAllConnections(), GRACE_MS).unref()
      await closed
    },
  }
}

const PATH = '/connected'
const GRACE_MS = 500

function send(response: ServerResponse, status: number, title: string, sentence: string): void {
  response
    .writeHead(status, { ...PAGE_HEADERS, Connection: 'close' })
    .end(renderPage(title, `<p>${escapeHtml(sentence)}</p>`))
}
