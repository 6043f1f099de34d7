import type { LinkRow } from '../../storage/tables.ts'
import type { StoredSettings } from '../../workspace/workspace.ts'

/** The origins that may hold the page in a frame: the link's own list, else the workspace's. None: nobody may. */
export function frameOrigins(link: LinkRow, settings: StoredSettings): readonly string[] {
  const own = JSON.parse(link.allowed_origins) as string[]
  return own.length > 0 ? own : (settings.allowedFrameOrigins ?? [])
}
