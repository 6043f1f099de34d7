import type { Link } from '../../links/link.ts'
import type { StoredSettings } from '../../workspaces/workspace.ts'

/** The origins that may embed the page: the link's allowlist, else the workspace's. Empty when embedding is not allowed. */
export function frameOrigins(link: Link, settings: StoredSettings): readonly string[] {
  return link.allowedOrigins.length > 0 ? link.allowedOrigins : (settings.allowedFrameOrigins ?? [])
}
