import type { StoredSettings } from '../../workspaces/workspace.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSession } from '../session/oauth-session.ts'
import { getAccessScope } from '../session/session-context.ts'

/** The names on the pages of a session: its tool and its workspace. */
export interface SessionNames {
  readonly tool: string
  /** Empty when the workspace has no name. */
  readonly workspace: string
  /** The workspace's settings, for its branding. */
  readonly settings: StoredSettings
}

/** Loads the names of a session; undefined when its workspace or definition no longer exists. */
export async function getSessionNames(
  deps: OAuthFlowDeps,
  session: OAuthSession,
): Promise<SessionNames | undefined> {
  const accessScope = getAccessScope(session)
  const definition = await deps.definitions.find(accessScope, session.definitionId)
  const workspace = await deps.workspaces.find(accessScope, session.workspaceId)
  if (definition === undefined || workspace === undefined) return undefined
  return {
    tool: definition.name,
    workspace: workspace.name,
    settings: workspace.settings,
  }
}
