import type { ServerResponse } from 'node:http'

const answers = new WeakSet<ServerResponse>()

/** Remembers that what a request got is a provider's answer, handed on as it came: its status says nothing about us. */
export function noteProviderAnswer(raw: ServerResponse): void {
  answers.add(raw)
}

/** Whether a request got a provider's answer. */
export function isProviderAnswer(raw: ServerResponse): boolean {
  return answers.has(raw)
}
