import { once } from 'node:events'
import type { CollectorResponse, SpanExporterDeps } from '../observability/tracing/span-exporter.ts'
import type { MessageFromWorker, SpansResponse } from './messages.ts'

/** Sends the spans of a worker to the collector: through the main process, which has the egress gateway. */
export interface SpanSender {
  readonly send: SpanExporterDeps['send']
  /** Receives the answer of the main process. */
  answer(id: number, response: SpansResponse): void
}

export function createSpanSender(post: (message: MessageFromWorker) => void): SpanSender {
  const waiting = new Map<number, (response: SpansResponse) => void>()
  let nextId = 0
  return {
    async send(body, signal): Promise<CollectorResponse> {
      const id = nextId++
      const { promise, resolve } = Promise.withResolvers<SpansResponse>()
      waiting.set(id, resolve)
      post({ type: 'spans', id, body: Buffer.from(body).toString() })
      const settled = new AbortController()
      const aborted = once(signal, 'abort', { signal: settled.signal }).catch(() => {})
      const response = await Promise.race([promise, aborted])
      settled.abort()
      waiting.delete(id)
      if (response === undefined || Array.isArray(response))
        throw new Error('the collector did not respond')
      return { status: response.status, body: Buffer.from(response.body) }
    },
    answer: (id, response) => waiting.get(id)?.(response),
  }
}
