import { createHmac } from 'node:crypto'

/** An event as a request of Standard Webhooks, signed with the `whsec_…` of a person. */
export function signEvent(
  event: { readonly id: string },
  { secret, now }: { readonly secret: string; readonly now: number },
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const body = JSON.stringify(event)
  const timestamp = Math.floor(now / 1_000)
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key)
    .update(`${event.id}.${timestamp}.${body}`)
    .digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
  return { body, headers }
}
