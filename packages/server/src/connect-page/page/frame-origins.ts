import { ownOrigins } from '../../links/link-allowlists.ts'
import type { LinkRow } from '../../storage/tables.ts'
import type { StoredSettings } from '../../workspaces/workspace.ts'

/** The origins that may hold the page in a frame: the link's own list, else the workspace's. None: nobody may. */
export function frameOrigins(link: LinkRow, settings: StoredSettings): readonly string[] {
  return ownOrigins(link) ?? settings.allowedFrameOrigins ?? []
}
