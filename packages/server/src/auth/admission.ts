import type { IncomingMessage, ServerResponse } from 'node:http'
import { NOTHING_TO_RELEASE, type Release, type RequestQueue } from './request-queue.ts'

/** Lets requests through the fair queue of tenants. */
export interface Admission {
  /**
   * Waits until a request of the tenant may start. It ends with its response. A request that was handed over has waited.
   *
   * @throws ApiError `overloaded`; the promise never rejects
   */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    tenant: string,
  ): Promise<void> | undefined
  /** Records that a request has waited already, or was rejected, before it reaches the framework. */
  handOver(request: IncomingMessage, rejection?: unknown): void
}

/** Creates the admission to a queue. */
export function createAdmission(queue: RequestQueue): Admission {
  const outcomes = new WeakMap<IncomingMessage, { readonly rejection: unknown }>()
  return {
    admit(request, response, tenant) {
      const outcome = outcomes.get(request)
      if (outcome?.rejection !== undefined) throw outcome.rejection
      if (outcome !== undefined) return undefined
      const release = queue.acquire(tenant)
      if (release instanceof Promise) return release.then((later) => releaseAtEnd(response, later))
      releaseAtEnd(response, release)
      return undefined
    },
    handOver: (request, rejection) => void outcomes.set(request, { rejection }),
  }
}

function releaseAtEnd(response: ServerResponse, release: Release): void {
  if (release !== NOTHING_TO_RELEASE) response.once('close', release)
}
