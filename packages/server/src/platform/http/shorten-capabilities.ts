/**
 * A text in which values that give access to their readers have only their first 8 characters: ids of links, tokens of
 * connect sessions and of the API, and secrets of webhook endpoints. For what is retained for long or read by many: the log
 * and the audit trail.
 */
export function shortenCapabilities(text: string): string {
  return text.replaceAll(CAPABILITIES, (value) => value.slice(0, 8))
}

const CAPABILITIES =
  /lnk_[0-9a-z]{32}|cnt_[A-Za-z0-9_-]{27}|lp_[0-9A-Za-z]{36}|whsec_[A-Za-z0-9+/]{20,}={0,2}/g
