import { createHmac } from 'node:crypto'

/**
 * The token with which the host confirms what this browser brought by this attempt. It is made of the browser's own secret of
 * 256 bits, which nobody else has, so that the same browser can be given it again: after a reload, or when an answer of ours was
 * lost on its way.
 */
export function deriveConfirmToken(browserSecret: string, sessionId: string): string {
  return createHmac('sha256', browserSecret).update(`confirm ${sessionId}`).digest('base64url')
}
