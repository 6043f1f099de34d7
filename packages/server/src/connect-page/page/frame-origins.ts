import { ownOrigins } from '../../links/link-allowlists.ts'
import type { LinkRow } from '../../storage/tables.ts'
import type { StoredSettings } from '../../workspaces/workspace.ts'

/** The origins that may embed the page: the link's allowlist, else the workspace's. Empty when embedding is not allowed. */
export function frameOrigins(link: LinkRow, settings: StoredSettings): readonly string[] {
  return ownOrigins(link) ?? settings.allowedFrameOrigins ?? []
}
