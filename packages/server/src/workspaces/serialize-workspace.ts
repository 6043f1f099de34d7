import { toTimestamp } from '../http/schema.ts'
import type { WorkspaceRow } from '../storage/tables.ts'
import type { StoredSettings, Workspace, WorkspaceSettings } from './workspace.ts'

/** Serializes a workspace as Get user returns it. */
export function serializeWorkspace(row: WorkspaceRow): Workspace {
  return {
    workspaceId: row.workspace_id,
    slug: row.slug,
    userId: row.user_id,
    initialSetupComplete: row.initial_setup_complete === 1,
    anonymousDataCollection: row.anonymous_data_collection === 1,
    deleted: row.deleted_at === null ? null : toTimestamp(row.deleted_at),
  }
}

/** Serializes a workspace with its settings. */
export function serializeWorkspaceSettings(row: WorkspaceRow): WorkspaceSettings {
  const settings = getStoredSettings(row)
  return {
    ...serializeWorkspace(row),
    name: row.name,
    theme: settings.theme ?? {},
    allowedRedirectURLs: [...(settings.allowedRedirectURLs ?? [])],
    allowedFrameOrigins: [...(settings.allowedFrameOrigins ?? [])],
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  }
}

/** Parses the `settings` column of a workspace. */
export function getStoredSettings({ settings }: { readonly settings: string }): StoredSettings {
  return JSON.parse(settings) as StoredSettings
}
