/** Tells the open pages of a customer that their connections have changed, with server-sent events. */
export class Changes {
  readonly #pages = new Map<string, Set<ReadableStreamDefaultController<Uint8Array>>>()

  /** A stream that lasts until the page is closed. */
  follow(customerId: string): Response {
    const pages = this.#pages.get(customerId) ?? new Set()
    this.#pages.set(customerId, pages)
    let page: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        page = controller
        pages.add(page)
      },
      cancel() {
        pages.delete(page)
      },
    })
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
    return new Response(body, { headers })
  }

  publish(customerId: string): void {
    for (const page of this.#pages.get(customerId) ?? []) page.enqueue(CHANGED)
  }
}

const CHANGED = new TextEncoder().encode('data: changed\n\n')
