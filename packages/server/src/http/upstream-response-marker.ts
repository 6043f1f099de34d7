import type { ServerResponse } from 'node:http'

const upstreamResponses = new WeakSet<ServerResponse>()

/** Remembers that what a request got is a provider's answer, handed on as it came: its status says nothing about us. */
export function markUpstreamResponse(response: ServerResponse): void {
  upstreamResponses.add(response)
}

/** Whether a request got a provider's answer. */
export function isUpstreamResponse(response: ServerResponse): boolean {
  return upstreamResponses.has(response)
}
