import type { ServerResponse } from 'node:http'

const upstreamResponses = new WeakSet<ServerResponse>()

/** Marks a response as forwarded from a provider: its status is not an error of this service. */
export function markUpstreamResponse(response: ServerResponse): void {
  upstreamResponses.add(response)
}

/** Whether a response was forwarded from a provider. */
export function isUpstreamResponse(response: ServerResponse): boolean {
  return upstreamResponses.has(response)
}
