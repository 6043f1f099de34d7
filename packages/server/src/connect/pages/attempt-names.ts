import type { OAuthAttemptRow } from '../../storage/tables.ts'
import { settingsOf } from '../../workspace/settings-of.ts'
import type { StoredSettings } from '../../workspace/workspace.ts'
import { reachOf } from '../attempt/attempt-context.ts'
import type { ConnectDeps } from '../connect-deps.ts'

/** What people read about an attempt: the tool, and who wants it connected. */
export interface AttemptNames {
  readonly tool: string
  readonly workspace: string
  /** How that workspace dresses its pages. */
  readonly settings: StoredSettings
}

/** The names of an attempt; undefined when its workspace is gone. */
export async function attemptNames(
  deps: ConnectDeps,
  attempt: OAuthAttemptRow,
): Promise<AttemptNames | undefined> {
  const reach = reachOf(attempt)
  const definition = await deps.definitions.find(reach, attempt.definition_id)
  const workspace = await deps.workspaces.find(reach, attempt.workspace_id)
  if (definition === undefined || workspace === undefined) return undefined
  return {
    tool: definition.name,
    workspace: workspaceName(workspace),
    settings: settingsOf(workspace),
  }
}

/** What people know a workspace by. */
export function workspaceName({ name, slug }: { readonly name: string; readonly slug: string }) {
  return name.trim() === '' ? slug : name
}
