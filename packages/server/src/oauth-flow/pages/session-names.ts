import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { getStoredSettings } from '../../workspaces/get-stored-settings.ts'
import type { StoredSettings } from '../../workspaces/workspace.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { getAccessScope } from '../session/session-context.ts'

/** What people read about an attempt: the tool, and who wants it connected. */
export interface SessionNames {
  readonly tool: string
  /** Empty when the workspace has no name. */
  readonly workspace: string
  /** How that workspace dresses its pages. */
  readonly settings: StoredSettings
}

/** The names of an attempt; undefined when its workspace is gone. */
export async function getSessionNames(
  deps: OAuthFlowDeps,
  session: OAuthAttemptRow,
): Promise<SessionNames | undefined> {
  const accessScope = getAccessScope(session)
  const definition = await deps.definitions.find(accessScope, session.definition_id)
  const workspace = await deps.workspaces.find(accessScope, session.workspace_id)
  if (definition === undefined || workspace === undefined) return undefined
  return {
    tool: definition.name,
    workspace: workspace.name,
    settings: getStoredSettings(workspace),
  }
}
